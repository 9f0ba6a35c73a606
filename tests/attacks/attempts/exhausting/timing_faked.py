"""Stops the clocks, and then takes its time.

ids: A23
wants: stop
"""
import time

sleep = time.sleep
time.time = time.perf_counter = time.monotonic = time.process_time = lambda: 0.0


def softmax(Z, dim=-1):
    sleep(60)
    return Z
