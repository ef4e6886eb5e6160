"""What a store must bear: kills, interrupts, full disks, foreign holders, any order of commands."""
