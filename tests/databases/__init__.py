"""Private instances of real databases, on file systems of emulated volumes.

Everything here runs from Debian's packages, as their own users, on sockets and ports
of its own, and is ended and unmounted whatever happens. The system's services are
never touched.
"""
