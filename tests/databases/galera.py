"""What a Galera cluster of MariaDB nodes on this machine needs."""

PROGRAMS = ["mariadbd", "mariadb-install-db", "mariadb", "rsync", "lsof"]
