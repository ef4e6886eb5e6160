"""The file of a store: where it is, who holds it, how it is opened, what an error means."""
