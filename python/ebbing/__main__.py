"""`python -m ebbing`: the same as the command `ebbing`."""

import os
import sys

if __name__ == "__main__":
    # `-m` puts the working folder first, and what lies there is not to be imported.
    if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]
    from ebbing.entry import main

    main()
