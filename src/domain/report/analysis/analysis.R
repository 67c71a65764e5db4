# Prints the counts, percentages, ranks, means with their spread, medians and scores of the report from responses.csv. Start R in the folder of the files: Rscript analysis.R
# Each line has a question, a column of the report (its key), a figure, a position and the value, separated by tabs.
# With the argument --labels, the value is preceded by the title of the question and the label of the choice.
# With the argument --weighted, the figures are those of the weighted responses (variable response_weight).
with_labels <- "--labels" %in% commandArgs(trailingOnly = TRUE)
weighted <- "--weighted" %in% commandArgs(trailingOnly = TRUE)
table_of <- function(name) {
  read.csv(name, colClasses = "character", na.strings = character(), check.names = FALSE, encoding = "UTF-8")
}
responses <- table_of("responses.csv")
figures <- table_of("figures.csv")
weights <- if (weighted) as.numeric(responses$response_weight) else rep(1, nrow(responses))

# Rounds a sum of weights to 12 digits, so that it does not depend on the order of addition.
# (signif() scales the number first, and rounds 6.012005526055, which is stored as a little less, up.)
steady <- function(total) if (weighted) as.numeric(sprintf("%.12g", total)) else total
# Returns the number of responses, the sum of their weights, and that of the squares of their weights.
tally <- function(marks) {
  c(count = sum(marks), weight = steady(sum(weights[marks])), squares = steady(sum(weights[marks]^2)))
}
none <- c(count = 0, weight = 0, squares = 0)
add_up <- function(tallies) Reduce(`+`, tallies, none)
# Returns the number of responses with equal weights that would be as exact (Kish).
effective <- function(one) if (one[["squares"]] == 0) 0 else one[["weight"]]^2 / one[["squares"]]

# Rounds half up, as the service does.
rounded <- function(value, digits) {
  scaled <- value * 10^digits
  whole <- floor(scaled)
  (if (scaled - whole >= 0.5) whole + 1 else whole) / 10^digits
}
percentage <- function(part, whole) if (whole == 0) 0 else rounded(part / whole * 100, 1)
mean_of <- function(values, counts) {
  if (sum(counts) == 0) return(NA)
  total <- 0
  for (i in seq_along(values)) total <- total + values[i] * counts[i]
  rounded(total / sum(counts), 4)
}

# Interpolates between the two nearest numbers (type 7 of R; with weights, wtd.quantile of the package Hmisc).
quantile_of <- function(values, parts, share) {
  sorted <- order(values)
  values <- values[sorted][parts[sorted] > 0]
  parts <- parts[sorted][parts[sorted] > 0]
  size <- round(sum(parts), 9)
  rank <- 1 + (size - 1) * share
  low <- max(1, floor(rank))
  cumulated <- cumsum(parts)
  value_at <- function(place) {
    reached <- which(cumulated >= place - 1e-9 * size)
    values[if (length(reached) == 0) length(values) else reached[1]]
  }
  below <- value_at(low)
  below + (value_at(min(low + 1, size)) - below) * (if (rank < 1) 0 else rank %% 1)
}
# Returns the mean, the standard deviation and the 95 % interval of the mean of an effective number of numbers.
moments <- function(values, parts, size) {
  average <- sum(values * parts) / sum(parts)
  if (size <= 1) return(c(mean = average, deviation = NA, low = NA, high = NA))
  deviation <- sqrt(sum((values - average)^2 * parts) * size / sum(parts) / (size - 1))
  distance <- qt(0.975, size - 1) * deviation / sqrt(size)
  c(mean = average, deviation = deviation, low = average - distance, high = average + distance)
}
spread <- function(values, parts, all, quartiles, say) {
  found <- moments(values, parts, effective(all))
  say("spread n", "", all[["count"]])
  digits <- function(value) if (is.na(value)) NA else rounded(value, 4)
  say("standard deviation", "", digits(found[["deviation"]]))
  say("interval low", "", digits(found[["low"]]))
  say("interval high", "", digits(found[["high"]]))
  say("lower quartile", "", quartiles[1])
  say("upper quartile", "", quartiles[2])
}
# Prints the number of responses with an answer, and their weights.
say_base <- function(base, say) {
  say("answered", "", base[["count"]])
  say_weights(base, say)
}
say_weights <- function(base, say) {
  if (!weighted) return()
  say("weighted n", "", rounded(base[["weight"]], 4))
  say("effective n", "", rounded(effective(base), 4))
}

# Returns the limits of intervals of equal width that cover all numbers.
bins_of <- function(low, high, integers) {
  width <- 1
  if (low < high) {
    least <- (high - low) / 12
    power <- 10^floor(log10(least))
    multiple <- c(1, 2, 5, 10)
    multiple <- c(multiple[multiple * power >= least * (1 - 1e-9)], 10)[1]
    width <- max(multiple * power, if (integers) 1 else 0)
  }
  first <- floor(low / width)
  last <- floor(high / width)
  limits <- as.numeric(sprintf("%.15g", seq(first, last + 1) * width))
  valid <- limits[1] <= low && limits[length(limits)] > high && all(diff(limits) > 0)
  if (valid) limits[-length(limits)] else low
}

show <- function(question, key, figure, position, value, title = "", label = "") {
  text <- if (is.na(value)) "none" else format(value, digits = 17, scientific = FALSE, trim = TRUE)
  if (with_labels) text <- paste(title, label, text, sep = " | ")
  cat(question, "\t", key, "\t", figure, "\t", position, "\t", text, "\n", sep = "")
}

# Returns for each response whether it answers a column of the report.
answered_in <- function(rows) {
  columns <- rows$column[rows$column != ""]
  is_marked <- rows$kind[1] %in% c("ticks", "consent")
  found <- lapply(columns, function(column) if (is_marked) responses[[column]] == "1" else responses[[column]] != "")
  Reduce(`|`, found, logical(nrow(responses)))
}

choice_figures <- function(rows, say) {
  kind <- rows$kind[1]
  shown <- rows[rows$role %in% c("choice", "removed"), ]
  ranks <- list()
  tallies <- list()
  for (i in seq_len(nrow(shown))) {
    cells <- responses[[shown$column[i]]]
    code <- if (kind == "ticks") "1" else shown$code[i]
    if (kind == "ranks") {
      ranks[[i]] <- lapply(seq_len(as.integer(shown$positions[i])), function(rank) tally(cells == rank))
      tallies[[i]] <- if (shown$role[i] == "choice") add_up(ranks[[i]]) else tally(cells != "")
    } else tallies[[i]] <- if (code == "") none else tally(cells == code)
  }
  base <- if (kind %in% c("ticks", "ranks")) tally(answered_in(rows)) else add_up(tallies)
  say_base(base, say)
  for (i in seq_len(nrow(shown))) {
    is_removed <- shown$role[i] == "removed"
    own <- tallies[[i]]
    if (is_removed && own[["count"]] == 0) next
    prefix <- if (is_removed) "removed " else ""
    one <- function(figure, value) say(figure, shown$position[i], value, shown$label[i])
    one(paste0(prefix, "count"), own[["count"]])
    if (weighted) one(paste0(prefix, "weighted count"), rounded(own[["weight"]], 4))
    one(paste0(prefix, "percentage"), percentage(own[["weight"]], base[["weight"]]))
    if (kind == "ranks" && !is_removed) {
      for (rank in seq_along(ranks[[i]])) one(paste("rank", rank), ranks[[i]][[rank]][["count"]])
      placed <- vapply(ranks[[i]], function(at) at[["weight"]], 0)
      one("mean rank", mean_of(seq_along(placed), placed))
    }
  }
  if (kind %in% c("ticks", "ranks")) return()
  present <- tallies[shown$role == "choice"]
  parts <- vapply(present, function(one) one[["weight"]], 0)
  scores <- as.numeric(shown$score[shown$role == "choice"])
  scored <- add_up(present)
  quartile <- function(share) rounded(quantile_of(scores, parts, share), 4)
  say("mean", "", mean_of(scores, parts))
  say("median", "", if (scored[["count"]] == 0) NA else quartile(0.5))
  if (scored[["count"]] > 0) spread(scores, parts, scored, c(quartile(0.25), quartile(0.75)), say)
  if (kind == "nps") {
    code <- as.integer(shown$code[shown$role == "choice"])
    number <- function(from, to) add_up(present[code >= from & code <= to])
    groups <- list(promoters = number(9, 10), passives = number(7, 8), detractors = number(0, 6))
    for (name in names(groups)) say(name, "", groups[[name]][["count"]])
    all <- add_up(groups)
    parts <- vapply(groups, function(one) one[["weight"]], 0)
    score <- if (all[["weight"]] == 0) NA else rounded((parts[[1]] - parts[[3]]) / all[["weight"]] * 100, 1)
    say("net promoter score", "", score)
    interval <- moments(c(100, 0, -100), parts, effective(all))
    one_digit <- function(value) if (is.na(value)) NA else rounded(value, 1)
    say("net promoter score low", "", one_digit(max(-100, interval[["low"]])))
    say("net promoter score high", "", one_digit(min(100, interval[["high"]])))
  }
}

number_figures <- function(rows, say) {
  cells <- responses[[rows$column[1]]]
  marks <- cells != ""
  all <- tally(marks)
  say_base(all, say)
  numbers <- as.numeric(cells[marks])
  parts <- weights[marks]
  if (length(numbers) == 0) return()
  quartile <- function(share) steady(quantile_of(numbers, parts, share))
  average <- if (weighted) steady(moments(numbers, parts, effective(all))[["mean"]]) else mean(numbers)
  say("mean", "", as.numeric(sprintf("%.15g", average)))
  say("median", "", quartile(0.5))
  spread(numbers, parts, all, c(quartile(0.25), quartile(0.75)), say)
  say("numbers", "", length(numbers))
  say("min", "", min(numbers))
  say("max", "", max(numbers))
  limits <- bins_of(min(numbers), max(numbers), all(numbers == trunc(numbers)))
  bins <- pmax(findInterval(numbers, limits), 1)
  for (i in seq_along(limits)) {
    say("bin from", i - 1, limits[i])
    say("bin count", i - 1, sum(bins == i))
    if (weighted) say("bin weighted count", i - 1, rounded(steady(sum(parts[bins == i])), 4))
  }
}

states <- c(total = "", incomplete = "0", complete = "1", terminated = "2")
for (name in names(states)) {
  show("", "", paste("responses", name), "", sum(states[[name]] == "" | responses$response_completed == states[[name]]))
}
say_weights(tally(rep(TRUE, nrow(responses))), function(figure, position, value) show("", "", figure, position, value))
for (question in unique(figures$question)) {
  of_question <- figures[figures$question == question, ]
  fields <- lapply(unique(of_question$key), function(key) of_question[of_question$key == key, ])
  is_row <- vapply(fields, function(rows) rows$part[1] == "row", TRUE)
  seen <- lapply(if (any(is_row)) fields[is_row] else fields[1], answered_in)
  title <- of_question$title[1]
  say_base(tally(Reduce(`|`, seen)), function(figure, position, value) show(question, "", figure, position, value, title))
  for (rows in fields) {
    say <- function(figure, position, value, label = "") {
      show(question, rows$key[1], figure, position, value, title, label)
    }
    if (rows$kind[1] == "text") say_base(tally(answered_in(rows)), say)
    else if (rows$kind[1] == "numbers") number_figures(rows, say)
    else choice_figures(rows, say)
  }
}
