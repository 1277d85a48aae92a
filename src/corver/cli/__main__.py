"""`python -m corver.cli`, for where the `corver` script is not on the path."""

from corver.cli import main

if __name__ == "__main__":
    main()
