#: environment: base
#: artifact: tone.wav audio/x-wav
import array
import math
import wave

rate = 8000
samples = array.array("h", (int(20000 * math.sin(2 * math.pi * 440 * n / rate)) for n in range(rate // 4)))
with wave.open("tone.wav", "wb") as out:
    out.setnchannels(1)
    out.setsampwidth(2)
    out.setframerate(rate)
    out.writeframes(samples.tobytes())
with wave.open("tone.wav") as tone:
    print(tone.getnframes() / tone.getframerate(), tone.getsampwidth(), len(tone.readframes(10)))
