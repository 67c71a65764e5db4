# Prints the counts, percentages, ranks, means with their spread, medians and scores of the report from responses.csv. Start this script in the folder of the files: python3 analysis.py
# Each line has a question, a column of the report (its key), a figure, a position and the value, separated by tabs.
# With --labels, the value of a choice is preceded by the title of the question and the label of the choice.
import csv
import math
import sys
from bisect import bisect_right
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import groupby

csv.field_size_limit(2**31 - 1)
getcontext().prec = 60


def table(name):
    with open(name, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


responses = table("responses.csv")
figures = table("figures.csv")


def rounded(value, digits):
    """Rounds half up, as the service does."""
    scaled = value * 10**digits
    whole = math.floor(scaled)
    return (whole + 1 if scaled - whole >= 0.5 else whole) / 10**digits


def percentage(part, whole):
    return 0 if whole == 0 else rounded(part / whole * 100, 1)


def mean(pairs):
    size = sum(count for _, count in pairs)
    if size == 0:
        return None
    total = 0.0
    for value, count in pairs:
        total += value * count
    return rounded(total / size, 4)


def median(pairs):
    values = [value for value, count in sorted(pairs) for _ in range(count)]
    if not values:
        return None
    size = len(values)
    return rounded((values[(size - 1) // 2] + values[size // 2]) / 2, 4)


def quantile(numbers, share):
    """Interpolates between the two nearest of sorted numbers (type 7 of R)."""
    position = (len(numbers) - 1) * share
    lower, upper = float(numbers[math.floor(position)]), float(numbers[math.ceil(position)])
    return lower + (upper - lower) * (position % 1)


def beta_ratio(a, b, x):
    """Returns the regularised incomplete beta function, by its continued fraction."""
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_ratio(b, a, 1 - x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 1000):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + factor * d)
            c = 1 + factor / c
            fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return math.exp(logarithm) / a * fraction


def student_limit(degrees):
    """Returns the limit of Student's t for 95 %, by bisection."""
    low, high = 1.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        if beta_ratio(degrees / 2, 0.5, degrees / (degrees + middle * middle)) > 0.05:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def moments(pairs):
    """Returns the number, the mean, the standard deviation and the 95 % interval of the mean of numbers."""
    size = sum(count for _, count in pairs)
    average = sum(Fraction(value) * count for value, count in pairs) / size
    if size < 2:
        return size, float(average), None, None
    squares = sum((Fraction(value) - average) ** 2 * count for value, count in pairs)
    deviation = math.sqrt(squares / (size - 1))
    distance = student_limit(size - 1) * deviation / math.sqrt(size)
    return size, float(average), deviation, (float(average) - distance, float(average) + distance)


def spread(pairs, quartiles, say):
    size, _, deviation, interval = moments(pairs)
    say("spread n", "", size)
    say("standard deviation", "", None if deviation is None else rounded(deviation, 4))
    say("interval low", "", None if interval is None else rounded(interval[0], 4))
    say("interval high", "", None if interval is None else rounded(interval[1], 4))
    say("lower quartile", "", quartiles[0])
    say("upper quartile", "", quartiles[1])


def bins_of(low, high, integers):
    """Returns the limits of intervals of equal width that cover all numbers."""
    width = 1.0
    if low < high:
        least = (high - low) / 12
        power = 10.0 ** math.floor(math.log10(least))
        multiple = next((one for one in (1, 2, 5, 10) if one * power >= least * (1 - 1e-9)), 10)
        width = max(multiple * power, 1 if integers else 0)
    first, last = math.floor(low / width), math.floor(high / width)
    limits = [float("%.15g" % ((first + i) * width)) for i in range(last - first + 2)]
    valid = limits[0] <= low and limits[-1] > high and all(a < b for a, b in zip(limits, limits[1:]))
    return limits[:-1] if valid else [low]


def show(question, key, figure, position, value, title="", label=""):
    if value is None:
        text = "none"
    else:
        text = repr(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
    if "--labels" in sys.argv:
        text = f"{title} | {label} | {text}"
    print(question, key, figure, position, text, sep="\t")


def answered_in(rows):
    """Returns for each response whether it answers a column of the report."""
    columns = [row["column"] for row in rows if row["column"]]
    if rows[0]["kind"] == "ticks":
        return [any(response[column] == "1" for column in columns) for response in responses]
    if rows[0]["kind"] == "consent":
        return [response[columns[0]] == "1" for response in responses]
    return [any(response[column] != "" for column in columns) for response in responses]


def choice_figures(rows, say):
    """Prints the figures of choices. Returns the number of responses with an answer."""
    kind = rows[0]["kind"]
    shown = [row for row in rows if row["role"] in ("choice", "removed")]
    ranks = {}
    if kind in ("ticks", "ranks"):
        answered = sum(answered_in(rows))
    counts = []
    for row in shown:
        cells = [response[row["column"]] for response in responses]
        if kind == "ranks":
            positions = range(1, int(row["positions"]) + 1)
            ranks[row["label"], row["position"]] = [sum(cell == str(rank) for cell in cells) for rank in positions]
            is_choice = row["role"] == "choice"
            counts.append(sum(ranks[row["label"], row["position"]]) if is_choice else sum(cell != "" for cell in cells))
        else:
            code = "1" if kind == "ticks" else row["code"]
            counts.append(sum(cell == code for cell in cells) if code != "" else 0)
    if kind not in ("ticks", "ranks"):
        answered = sum(counts)
    say("answered", "", answered)
    for row, count in zip(shown, counts):
        if row["role"] == "removed" and count == 0:
            continue
        prefix = "" if row["role"] == "choice" else "removed "
        say(prefix + "count", row["position"], count, row["label"])
        say(prefix + "percentage", row["position"], percentage(count, answered), row["label"])
        if kind == "ranks" and row["role"] == "choice":
            placed = ranks[row["label"], row["position"]]
            for rank, number in enumerate(placed, 1):
                say(f"rank {rank}", row["position"], number, row["label"])
            say("mean rank", row["position"], mean([(rank, number) for rank, number in enumerate(placed, 1)]), row["label"])
    if kind in ("ticks", "ranks"):
        return
    scores = [(float(row["score"]), count) for row, count in zip(shown, counts) if row["role"] == "choice"]
    say("mean", "", mean(scores))
    say("median", "", median(scores))
    sorted_scores = [score for score, count in sorted(scores) for _ in range(count)]
    if sorted_scores:
        spread(scores, [rounded(quantile(sorted_scores, share), 4) for share in (0.25, 0.75)], say)
    if kind == "nps":
        answers = [(int(row["code"]), count) for row, count in zip(shown, counts) if row["role"] == "choice"]
        groups = {
            "promoters": sum(count for value, count in answers if 9 <= value <= 10),
            "passives": sum(count for value, count in answers if 7 <= value <= 8),
            "detractors": sum(count for value, count in answers if 0 <= value <= 6),
        }
        for name, number in groups.items():
            say(name, "", number)
        total = sum(groups.values())
        score = None if total == 0 else rounded((groups["promoters"] - groups["detractors"]) / total * 100, 1)
        say("net promoter score", "", score)
        weighted = [(100, groups["promoters"]), (0, groups["passives"]), (-100, groups["detractors"])]
        low, high = (moments(weighted)[3] if total > 1 else None) or (None, None)
        say("net promoter score low", "", None if low is None else rounded(max(-100, low), 1))
        say("net promoter score high", "", None if high is None else rounded(min(100, high), 1))


def number_figures(rows, say):
    column = rows[0]["column"]
    say("answered", "", sum(answered_in(rows)))
    numbers = sorted(Decimal(response[column]) for response in responses if response[column] != "")
    if not numbers:
        return
    low, high = float(numbers[0]), float(numbers[-1])
    integers = all(number == number.to_integral_value() for number in numbers)
    say("mean", "", float("%.15g" % (sum(numbers) / len(numbers))))
    lower, upper = float(numbers[(len(numbers) - 1) // 2]), float(numbers[len(numbers) // 2])
    say("median", "", lower + (upper - lower) * 0.5)
    spread([(number, 1) for number in numbers], [quantile(numbers, share) for share in (0.25, 0.75)], say)
    say("numbers", "", len(numbers))
    say("min", "", low)
    say("max", "", high)
    limits = bins_of(low, high, integers)
    exact = [Decimal(repr(limit)) for limit in limits]
    counts = [0] * len(limits)
    for number in numbers:
        counts[max(bisect_right(exact, number) - 1, 0)] += 1
    for position, (limit, count) in enumerate(zip(limits, counts)):
        say("bin from", position, limit)
        say("bin count", position, count)


for name, state in (("total", None), ("incomplete", "0"), ("complete", "1"), ("terminated", "2")):
    matching = [one for one in responses if state is None or one["response_completed"] == state]
    show("", "", f"responses {name}", "", len(matching))
for question, of_question in groupby(figures, key=lambda row: row["question"]):
    fields = [list(rows) for _, rows in groupby(of_question, key=lambda row: row["key"])]
    rows_of_grid = [rows for rows in fields if rows[0]["part"] == "row"]
    seen = [answered_in(rows) for rows in rows_of_grid or fields[:1]]
    title = fields[0][0]["title"]
    show(question, "", "answered", "", sum(any(one) for one in zip(*seen)) if responses else 0, title)
    for rows in fields:
        def say(figure, position, value, label=""):
            show(question, rows[0]["key"], figure, position, value, title, label)

        if rows[0]["kind"] == "text":
            say("answered", "", sum(answered_in(rows)))
        elif rows[0]["kind"] == "numbers":
            number_figures(rows, say)
        else:
            choice_figures(rows, say)
