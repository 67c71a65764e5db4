/** Everything the service itself says to a respondent, in one language. `{n}`, `{of}` … are replaced. */
export interface Words {
  next: string
  submit: string
  back: string
  later: string
  required: string
  choose: string
  other: string
  progress: string
  language: string
  errorTitle: string
  errorPrefix: string
  moreQuestions: string
  thankYouTitle: string
  thankYou: string
  terminatedTitle: string
  terminated: string
  savedTitle: string
  saved: string
  continueHere: string
  closedTitle: string
  closed: string
  early: string
  over: string
  empty: string
  full: string
  invited: string
  unknownCode: string
  passwordTitle: string
  passwordText: string
  password: string
  passwordWrong: string
  enter: string
  missingTitle: string
  missing: string
  noAnswers: string
  brokenTitle: string
  broken: string
  rank: string
  rankHint: string
  moveUp: string
  moveDown: string
  keepOrder: string
  ranked: string
  skip: string
  /** By the domain's English message, its values written `{n}`: what is wrong with an answer. */
  faults: Readonly<Record<string, string>>
}
