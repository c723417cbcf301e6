#: environment: base
#: status: exited
#: exit_code: 0
import sys


def main():
    try:
        print("working")
        return 0
    finally:
        print("cleaned up")


if __name__ == "__main__":
    sys.exit(main())
