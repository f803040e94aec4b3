# What the scripts beside this one share. They source it from the root of the repository.

# target_folder: where cargo builds.
target_folder() {
    cargo metadata --locked --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/'
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# ensure_installed PACKAGE CHECK...: installs the Debian package unless the check succeeds already.
ensure_installed() {
    local package=$1
    shift
    if ! "$@" >/dev/null 2>&1; then
        as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null
        "$@" >/dev/null
    fi
}

has_postgresql() { compgen -G '/usr/lib/postgresql/*/bin/initdb'; }

# Installs PostgreSQL unless it is there.
ensure_postgresql() {
    if ! has_postgresql >/dev/null; then
        # No cluster is to be created and started by the package.
        as_root mkdir -p /etc/postgresql-common/createcluster.d
        echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.d/hall-tests.conf >/dev/null
    fi
    ensure_installed postgresql has_postgresql
}
