# Prints the counts, percentages, ranks, means with their spread, medians and scores of the report from responses.csv. Start R in the folder of the files: Rscript analysis.R
# Each line has a question, a column of the report (its key), a figure, a position and the value, separated by tabs.
# With the argument --labels, the value is preceded by the title of the question and the label of the choice.
with_labels <- "--labels" %in% commandArgs(trailingOnly = TRUE)
table_of <- function(name) {
  read.csv(name, colClasses = "character", na.strings = character(), check.names = FALSE, encoding = "UTF-8")
}
responses <- table_of("responses.csv")
figures <- table_of("figures.csv")

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
middle <- function(sorted) c(sorted[(length(sorted) + 1) %/% 2], sorted[length(sorted) %/% 2 + 1])
median_of <- function(values, counts) {
  if (sum(counts) == 0) return(NA)
  pair <- middle(sort(rep(values, counts)))
  rounded((pair[1] + pair[2]) / 2, 4)
}

# Interpolates between the two nearest of sorted numbers (type 7 of R).
quantile_of <- function(sorted, share) {
  position <- (length(sorted) - 1) * share
  lower <- sorted[floor(position) + 1]
  lower + (sorted[ceiling(position) + 1] - lower) * (position %% 1)
}
# Returns the standard deviation and the 95 % interval of the mean; NA for fewer than two numbers.
moments <- function(numbers) {
  size <- length(numbers)
  if (size < 2) return(c(deviation = NA, low = NA, high = NA))
  average <- mean(numbers)
  deviation <- sqrt(sum((numbers - average)^2) / (size - 1))
  distance <- qt(0.975, size - 1) * deviation / sqrt(size)
  c(deviation = deviation, low = average - distance, high = average + distance)
}
spread <- function(numbers, quartiles, say) {
  all <- moments(numbers)
  say("spread n", "", length(numbers))
  digits <- function(value) if (is.na(value)) NA else rounded(value, 4)
  say("standard deviation", "", digits(all[["deviation"]]))
  say("interval low", "", digits(all[["low"]]))
  say("interval high", "", digits(all[["high"]]))
  say("lower quartile", "", quartiles[1])
  say("upper quartile", "", quartiles[2])
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
  counts <- integer(nrow(shown))
  for (i in seq_len(nrow(shown))) {
    cells <- responses[[shown$column[i]]]
    code <- if (kind == "ticks") "1" else shown$code[i]
    if (kind == "ranks") {
      ranks[[i]] <- vapply(seq_len(as.integer(shown$positions[i])), function(rank) sum(cells == rank), 0)
      counts[i] <- if (shown$role[i] == "choice") sum(ranks[[i]]) else sum(cells != "")
    } else counts[i] <- if (code == "") 0 else sum(cells == code)
  }
  answered <- if (kind %in% c("ticks", "ranks")) sum(answered_in(rows)) else sum(counts)
  say("answered", "", answered)
  for (i in seq_len(nrow(shown))) {
    is_removed <- shown$role[i] == "removed"
    if (is_removed && counts[i] == 0) next
    prefix <- if (is_removed) "removed " else ""
    one <- function(figure, value) say(figure, shown$position[i], value, shown$label[i])
    one(paste0(prefix, "count"), counts[i])
    one(paste0(prefix, "percentage"), percentage(counts[i], answered))
    if (kind == "ranks" && !is_removed) {
      for (rank in seq_along(ranks[[i]])) one(paste("rank", rank), ranks[[i]][rank])
      one("mean rank", mean_of(seq_along(ranks[[i]]), ranks[[i]]))
    }
  }
  if (kind %in% c("ticks", "ranks")) return()
  present <- shown$role == "choice"
  scores <- as.numeric(shown$score[present])
  say("mean", "", mean_of(scores, counts[present]))
  say("median", "", median_of(scores, counts[present]))
  all <- sort(rep(scores, counts[present]))
  if (length(all) > 0) {
    spread(all, c(rounded(quantile_of(all, 0.25), 4), rounded(quantile_of(all, 0.75), 4)), say)
  }
  if (kind == "nps") {
    code <- as.integer(shown$code[present])
    number <- function(from, to) sum(counts[present][code >= from & code <= to])
    groups <- c(promoters = number(9, 10), passives = number(7, 8), detractors = number(0, 6))
    for (name in names(groups)) say(name, "", groups[[name]])
    score <- if (sum(groups) == 0) NA else rounded((groups[["promoters"]] - groups[["detractors"]]) / sum(groups) * 100, 1)
    say("net promoter score", "", score)
    interval <- moments(rep(c(100, 0, -100), groups[c("promoters", "passives", "detractors")]))
    one_digit <- function(value) if (is.na(value)) NA else rounded(value, 1)
    say("net promoter score low", "", one_digit(max(-100, interval[["low"]])))
    say("net promoter score high", "", one_digit(min(100, interval[["high"]])))
  }
}

number_figures <- function(rows, say) {
  say("answered", "", sum(answered_in(rows)))
  cells <- responses[[rows$column[1]]]
  numbers <- sort(as.numeric(cells[cells != ""]))
  if (length(numbers) == 0) return()
  pair <- middle(numbers)
  say("mean", "", signif(mean(numbers), 15))
  say("median", "", pair[1] + (pair[2] - pair[1]) * 0.5)
  spread(numbers, c(quantile_of(numbers, 0.25), quantile_of(numbers, 0.75)), say)
  say("numbers", "", length(numbers))
  say("min", "", numbers[1])
  say("max", "", numbers[length(numbers)])
  limits <- bins_of(numbers[1], numbers[length(numbers)], all(numbers == trunc(numbers)))
  counts <- tabulate(pmax(findInterval(numbers, limits), 1), length(limits))
  for (i in seq_along(limits)) {
    say("bin from", i - 1, limits[i])
    say("bin count", i - 1, counts[i])
  }
}

states <- c(total = "", incomplete = "0", complete = "1", terminated = "2")
for (name in names(states)) {
  show("", "", paste("responses", name), "", sum(states[[name]] == "" | responses$response_completed == states[[name]]))
}
for (question in unique(figures$question)) {
  of_question <- figures[figures$question == question, ]
  fields <- lapply(unique(of_question$key), function(key) of_question[of_question$key == key, ])
  is_row <- vapply(fields, function(rows) rows$part[1] == "row", TRUE)
  seen <- lapply(if (any(is_row)) fields[is_row] else fields[1], answered_in)
  title <- of_question$title[1]
  show(question, "", "answered", "", sum(Reduce(`|`, seen)), title)
  for (rows in fields) {
    say <- function(figure, position, value, label = "") {
      show(question, rows$key[1], figure, position, value, title, label)
    }
    if (rows$kind[1] == "text") say("answered", "", sum(answered_in(rows)))
    else if (rows$kind[1] == "numbers") number_figures(rows, say)
    else choice_figures(rows, say)
  }
}
