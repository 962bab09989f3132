"""A program that enters a directory as another user, and hands the directory over to the agent.

It runs in a process of its own: all threads of a process have one user, and after a fork a process with several threads is not safe
to use before it executes a program. It imports nothing of the agent, and little else, so that it starts quickly.

Arguments: the ids of the user and of its group, those of its supplementary groups with commas between, the directory. Its standard
input is the socket to the agent, which gets `directory 0` with the directory, or `user ERRNO` or `directory ERRNO`.
"""

import os
import socket
import sys


def main(uid: int, gid: int, groups: list[int], path: str) -> None:
    """Become the user for good, enter the directory, and answer."""
    with socket.socket(fileno=0) as agent:
        step = "user"
        try:
            os.setgroups(groups)
            os.setgid(gid)
            os.setuid(uid)
            step = "directory"
            os.chdir(path)
            entered = os.open(".", os.O_PATH | os.O_DIRECTORY)
        except OSError as error:
            agent.send(f"{step} {error.errno}".encode())
        else:
            socket.send_fds(agent, [b"directory 0"], [entered])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), [int(each) for each in sys.argv[3].split(",") if each], sys.argv[4])
