# Prints the counts, percentages, ranks, means with their spread, medians and scores of the report from responses.csv. Start this script in the folder of the files: python3 analysis.py
# Each line has a question, a column of the report (its key), a figure, a position and the value, separated by tabs.
# With --labels, the value of a choice is preceded by the title of the question and the label of the choice.
# With --weighted, the figures are those of the weighted responses (variable response_weight).
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
weighted = "--weighted" in sys.argv
weights = [float(one["response_weight"]) if weighted else 1 for one in responses]


def steady(total):
    """Rounds a sum of weights to 12 digits, so that it does not depend on the order of addition."""
    return float("%.12g" % total) if weighted else total


class Tally:
    """Responses, the sum of their weights, and that of the squares of their weights."""

    def __init__(self, chosen):
        self.count = len(chosen)
        self.weight = steady(math.fsum(chosen)) if weighted else len(chosen)
        self.squares = steady(math.fsum(one * one for one in chosen)) if weighted else len(chosen)

    def __add__(self, other):
        both = Tally([])
        both.count, both.weight = self.count + other.count, self.weight + other.weight
        both.squares = self.squares + other.squares
        return both

    @property
    def effective(self):
        """Returns the number of responses with equal weights that would be as exact (Kish)."""
        if not weighted:
            return self.count
        return self.weight * self.weight / self.squares if self.squares else 0


def tally(marks):
    return Tally([weight for weight, mark in zip(weights, marks) if mark])


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


def quantile(pairs, share):
    """Interpolates between the two nearest numbers (type 7 of R; with weights, wtd.quantile of the package Hmisc)."""
    pairs = [(value, weight) for value, weight in sorted(pairs) if weight > 0]
    size = round(sum(weight for _, weight in pairs), 9)
    rank = 1 + (size - 1) * share
    low = max(1, math.floor(rank))

    def value_at(place):
        total = 0
        for value, weight in pairs:
            total += weight
            if total >= place - 1e-9 * size:
                return float(value)
        return float(pairs[-1][0])

    below, above = value_at(low), value_at(min(low + 1, size))
    return below + (above - below) * (0 if rank < 1 else rank % 1)


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
    while beta_ratio(degrees / 2, 0.5, degrees / (degrees + high * high)) > 0.05:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if beta_ratio(degrees / 2, 0.5, degrees / (degrees + middle * middle)) > 0.05:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def moments(pairs, size):
    """Returns the mean, the standard deviation and the 95 % interval of the mean of an effective number of numbers."""
    total = sum(Fraction(weight) for _, weight in pairs)
    average = sum(Fraction(value) * Fraction(weight) for value, weight in pairs) / total
    if size <= 1:
        return float(average), None, None
    squares = sum((Fraction(value) - average) ** 2 * Fraction(weight) for value, weight in pairs) * Fraction(size) / total
    deviation = math.sqrt(squares / (Fraction(size) - 1))
    distance = student_limit(size - 1) * deviation / math.sqrt(size)
    return float(average), deviation, (float(average) - distance, float(average) + distance)


def spread(pairs, all_numbers, quartiles, say):
    _, deviation, interval = moments(pairs, all_numbers.effective)
    say("spread n", "", all_numbers.count)
    say("standard deviation", "", None if deviation is None else rounded(deviation, 4))
    say("interval low", "", None if interval is None else rounded(interval[0], 4))
    say("interval high", "", None if interval is None else rounded(interval[1], 4))
    say("lower quartile", "", quartiles[0])
    say("upper quartile", "", quartiles[1])


def say_base(base, say):
    """Prints the number of responses with an answer, and their weights."""
    say("answered", "", base.count)
    say_weights(base, say)


def say_weights(base, say):
    if weighted:
        say("weighted n", "", rounded(base.weight, 4))
        say("effective n", "", rounded(base.effective, 4))


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
    """Prints the figures of choices."""
    kind = rows[0]["kind"]
    shown = [row for row in rows if row["role"] in ("choice", "removed")]
    ranks = {}
    tallies = []
    for row in shown:
        cells = [response[row["column"]] for response in responses]
        if kind == "ranks":
            positions = range(1, int(row["positions"]) + 1)
            placed = [tally(cell == str(rank) for cell in cells) for rank in positions]
            ranks[row["label"], row["position"]] = placed
            is_choice = row["role"] == "choice"
            tallies.append(sum(placed, Tally([])) if is_choice else tally(cell != "" for cell in cells))
        else:
            code = "1" if kind == "ticks" else row["code"]
            tallies.append(tally(cell == code for cell in cells) if code != "" else Tally([]))
    base = tally(answered_in(rows)) if kind in ("ticks", "ranks") else sum(tallies, Tally([]))
    say_base(base, say)
    for row, one in zip(shown, tallies):
        if row["role"] == "removed" and one.count == 0:
            continue
        prefix = "" if row["role"] == "choice" else "removed "
        say(prefix + "count", row["position"], one.count, row["label"])
        if weighted:
            say(prefix + "weighted count", row["position"], rounded(one.weight, 4), row["label"])
        say(prefix + "percentage", row["position"], percentage(one.weight, base.weight), row["label"])
        if kind == "ranks" and row["role"] == "choice":
            placed = ranks[row["label"], row["position"]]
            for rank, responses_at in enumerate(placed, 1):
                say(f"rank {rank}", row["position"], responses_at.count, row["label"])
            mean_rank = mean([(rank, responses_at.weight) for rank, responses_at in enumerate(placed, 1)])
            say("mean rank", row["position"], mean_rank, row["label"])
    if kind in ("ticks", "ranks"):
        return
    present = [(row, one) for row, one in zip(shown, tallies) if row["role"] == "choice"]
    scores = [(float(row["score"]), one.weight) for row, one in present]
    scored = sum((one for _, one in present), Tally([]))
    say("mean", "", mean(scores))
    say("median", "", rounded(quantile(scores, 0.5), 4) if scored.count else None)
    if scored.count:
        spread(scores, scored, [rounded(quantile(scores, share), 4) for share in (0.25, 0.75)], say)
    if kind == "nps":
        answers = [(int(row["code"]), one) for row, one in present]
        groups = {
            name: sum((one for value, one in answers if low <= value <= high), Tally([]))
            for name, low, high in (("promoters", 9, 10), ("passives", 7, 8), ("detractors", 0, 6))
        }
        for name, one in groups.items():
            say(name, "", one.count)
        total = sum(groups.values(), Tally([]))
        promoters, passives, detractors = (one.weight for one in groups.values())
        score = None if total.weight == 0 else rounded((promoters - detractors) / total.weight * 100, 1)
        say("net promoter score", "", score)
        shares = [(100, promoters), (0, passives), (-100, detractors)]
        low, high = (moments(shares, total.effective)[2] if total.count else None) or (None, None)
        say("net promoter score low", "", None if low is None else rounded(max(-100, low), 1))
        say("net promoter score high", "", None if high is None else rounded(min(100, high), 1))


def number_figures(rows, say):
    column = rows[0]["column"]
    marks = [response[column] != "" for response in responses]
    say_base(tally(marks), say)
    pairs = [(Decimal(one[column]), weight) for one, weight, mark in zip(responses, weights, marks) if mark]
    if not pairs:
        return
    all_numbers = tally(marks)
    numbers = sorted(number for number, _ in pairs)
    low, high = float(numbers[0]), float(numbers[-1])
    integers = all(number == number.to_integral_value() for number in numbers)
    average = steady(moments(pairs, all_numbers.effective)[0]) if weighted else sum(numbers) / len(numbers)
    say("mean", "", float("%.15g" % average))
    say("median", "", steady(quantile(pairs, 0.5)))
    spread(pairs, all_numbers, [steady(quantile(pairs, share)) for share in (0.25, 0.75)], say)
    say("numbers", "", len(numbers))
    say("min", "", low)
    say("max", "", high)
    limits = bins_of(low, high, integers)
    exact = [Decimal(repr(limit)) for limit in limits]
    bins = [[] for _ in limits]
    for number, weight in pairs:
        bins[max(bisect_right(exact, number) - 1, 0)].append(weight)
    for position, (limit, inside) in enumerate(zip(limits, map(Tally, bins))):
        say("bin from", position, limit)
        say("bin count", position, inside.count)
        if weighted:
            say("bin weighted count", position, rounded(inside.weight, 4))


for name, state in (("total", None), ("incomplete", "0"), ("complete", "1"), ("terminated", "2")):
    matching = [one for one in responses if state is None or one["response_completed"] == state]
    show("", "", f"responses {name}", "", len(matching))
say_weights(Tally(weights), lambda figure, position, value: show("", "", figure, position, value))
for question, of_question in groupby(figures, key=lambda row: row["question"]):
    fields = [list(rows) for _, rows in groupby(of_question, key=lambda row: row["key"])]
    rows_of_grid = [rows for rows in fields if rows[0]["part"] == "row"]
    seen = [answered_in(rows) for rows in rows_of_grid or fields[:1]]
    title = fields[0][0]["title"]
    say_base(tally(map(any, zip(*seen))), lambda figure, position, value: show(question, "", figure, position, value, title))
    for rows in fields:
        def say(figure, position, value, label=""):
            show(question, rows[0]["key"], figure, position, value, title, label)

        if rows[0]["kind"] == "text":
            say_base(tally(answered_in(rows)), say)
        elif rows[0]["kind"] == "numbers":
            number_figures(rows, say)
        else:
            choice_figures(rows, say)
