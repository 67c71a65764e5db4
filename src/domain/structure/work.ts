/** The work of evaluating conditions and calculations in this process since it started. Tests and benchmarks read it. */
export const evaluationWork = {
  /** Comparisons of an answer with the value of a rule. */
  comparisons: 0,
  /** Pages whose conditions were evaluated. */
  pages: 0,
  /** Answers that were converted for rules or added up for calculations. */
  answers: 0,
}
