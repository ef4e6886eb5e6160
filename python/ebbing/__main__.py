"""`python -m ebbing`: the same as the command `ebbing`."""

from ebbing.entry import main

if __name__ == "__main__":
    main()
