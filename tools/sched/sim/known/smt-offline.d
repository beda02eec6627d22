20 offline 1
30 offline 3
40 offline 5
100 affinity * 6-7
200 affinity * 0-7
