60 affinity rt 0-2
70 offline 5
80 affinity rt 0-7
 90 offline 6
95 affinity rt 1
100 affinity rt 0-7
100.2 offline 4
