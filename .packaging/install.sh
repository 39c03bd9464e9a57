#!/bin/sh
# Installs Cupola for this user, without root: the program, its manual pages, and completions of bash, zsh and fish.
#
#   sh install.sh [--version=1.2.3] [--prefix=DIR] [--from=URL]
#   sh install.sh --remove [--prefix=DIR]
#   sh install.sh --path [--prefix=DIR]     # only say whether DIR/bin is on PATH
#
# DIR is ~/.local unless it is given. URL is the folder with the archives and checksums.txt; without it, they are those
# of the newest release, or of VERSION.
set -eu

repository=unset # the release writes its address here, from .packaging/repository

fail() {
  echo "install: $*" >&2
  exit 1
}

# say_path says how to put a folder on PATH, where it is not.
say_path() {
  case ":$PATH:" in *":$1:"*) return ;; esac
  echo "$1 is not on your PATH. Put it there, and open a new terminal:"
  case ${SHELL:-}:$(uname -s) in
    */fish:*) echo "    fish_add_path $1" && return ;;
    */zsh:*) file=.zshrc ;;
    */bash:Darwin) file=.bash_profile ;;
    */bash:*) file=.bashrc ;;
    *) file=.profile ;;
  esac
  echo "    echo 'export PATH=\"$1:\$PATH\"' >>~/$file"
}

# download URL FILE
download() {
  if command -v curl >/dev/null; then
    curl -fsSL -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail "curl or wget is needed"
  fi || fail "cannot get $1"
}

# sum_of FILE
sum_of() {
  if command -v sha256sum >/dev/null; then
    sum=$(sha256sum "$1")
  elif command -v shasum >/dev/null; then
    sum=$(shasum -a 256 "$1")
  else
    fail "sha256sum or shasum is needed to check what was downloaded"
  fi
  echo "${sum%% *}"
}

# archive_name is the archive of this machine, without .tar.gz.
archive_name() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no archive for $(uname -s); on Windows, use WSL" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no archive for $(uname -m)" ;;
  esac
  echo "cupola_${os}_$arch"
}

remove() {
  rm -f "$prefix/bin/cupola" "$man/cupola.1.gz" "$man"/cupola-*.1.gz "$bash/cupola" "$zsh/_cupola" "$fish/cupola.fish"
}

install_from() {
  name=$(archive_name)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  download "$1/checksums.txt" "$work/checksums.txt"
  wanted=$(awk -v file="$name.tar.gz" '$2 == file || $2 == "*" file { print $1 }' "$work/checksums.txt")
  [ -n "$wanted" ] || fail "checksums.txt does not name $name.tar.gz; nothing is installed"
  download "$1/$name.tar.gz" "$work/$name.tar.gz"
  found=$(sum_of "$work/$name.tar.gz")
  [ "$found" = "$wanted" ] ||
    fail "the checksum of $name.tar.gz is $found, not $wanted; nothing is installed"
  tar -xzf "$work/$name.tar.gz" -C "$work"

  had=
  [ ! -e "$prefix/bin/cupola" ] || had=yes
  remove
  mkdir -p "$prefix/bin" "$man" "$bash" "$zsh" "$fish"
  cp "$work/$name"/man/*.1.gz "$man"
  cp "$work/$name/completions/cupola.bash" "$bash/cupola"
  cp "$work/$name/completions/_cupola" "$zsh"
  cp "$work/$name/completions/cupola.fish" "$fish"
  cp "$work/$name/cupola" "$prefix/bin/cupola"
  chmod 755 "$prefix/bin/cupola"
  echo "$("$prefix/bin/cupola" version --human) is in $prefix/bin."
  say_path "$prefix/bin"
  if [ -n "$had" ]; then
    echo "Terminals of Cupola's own server move to it with: cupola engine-upgrade"
  else
    echo "Try it with: cupola demo"
  fi
}

# What is cut off while it is downloaded runs nothing: all of it is in functions, down to the last line.
main() {
  prefix=$HOME/.local from='' version='' act=install
  for word in "$@"; do
    case $word in
      --prefix=*) prefix=${word#*=} ;;
      --from=*) from=${word#*=} ;;
      --version=*) version=${word#*=} ;;
      --remove) act=remove ;;
      --path) act=path ;;
      *) fail "unknown argument $word; there are --version, --prefix, --from, --remove and --path" ;;
    esac
  done
  man=$prefix/share/man/man1 bash=$prefix/share/bash-completion/completions
  zsh=$prefix/share/zsh/site-functions fish=$prefix/share/fish/vendor_completions.d
  case $act in
    remove) remove ;;
    path) say_path "$prefix/bin" ;;
    install)
      if [ -z "$from" ]; then
        [ "$repository" != unset ] ||
          fail "the address of Cupola's repository is not set; name the folder of a release with --from=URL"
        from=$repository/releases/latest/download
        [ -z "$version" ] || from=$repository/releases/download/v${version#v}
      fi
      install_from "${from%/}"
      ;;
  esac
}

main "$@"
