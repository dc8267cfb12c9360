"""`python -m blockyard` is the command `blockyard`."""

from blockyard.cli import main

if __name__ == "__main__":
    main()
