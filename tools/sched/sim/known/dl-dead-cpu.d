20 offline 1
20 offline 2
20 offline 3
20 offline 4
20 offline 5
20 offline 6
20 offline 7
