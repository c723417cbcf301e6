#: environment: base
1 + 1;
