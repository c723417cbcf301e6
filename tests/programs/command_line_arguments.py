#: environment: base
import argparse, sys

parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=3)
parser.add_argument("names", nargs="*")
print(parser.parse_args(["--n", "5", "a", "b"]), len(sys.argv))
print(parser.parse_args(sys.argv[1:]).n)
