/** What the domain says of an answer that is wrong, a value in it written `{n}`. */
export const faultMessages = [
  'An answer to this question is required.',
  '{n} is not a valid choice for the field.',
  'This is not a valid choice for the field.',
  'Only one answer is possible here.',
  'One of the chosen answers cannot be combined with others.',
  'The same choice cannot be ranked twice.',
  'Give each position once.',
  'Choose at least {n}.',
  'Choose at most {n}.',
  'The answer has to be an e-mail address.',
  'The answer has to be a whole number.',
  'The answer has to be a number.',
  'The answer has to be a web address such as https://example.org.',
  'The answer has to be a telephone number.',
  'The answer may hold letters only.',
  'The answer has to be at least {n}.',
  'The answer has to be at most {n}.',
  'The answer has to have at least {n} characters.',
  'The answer has to have at most {n} characters.',
  'The answer has to be a datetime such as {n}.',
  'The answer has to be a date such as {n}.',
  'The answer has to be a time such as {n}.',
  'The answer is longer than {n} characters.',
] as const

export type FaultMessage = (typeof faultMessages)[number]

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
  pages: string
  language: string
  errorTitle: string
  errorPrefix: string
  moreQuestions: string
  surveyChanged: string
  tooMany: string
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
  /** Above an open survey that was opened with an unknown invite code. */
  unlinkedCode: string
  used: string
  leaveTitle: string
  leaveText: string
  leave: string
  left: string
  passwordTitle: string
  passwordText: string
  password: string
  passwordWrong: string
  passwordWait: string
  testing: string
  enter: string
  signInTitle: string
  signedOut: string
  signIn: string
  signInNew: string
  notSignedInTitle: string
  notSignedIn: string
  deniedTitle: string
  denied: string
  unreachableTitle: string
  unreachable: string
  tryAgain: string
  kept: string
  keptSignIn: string
  sendAgain: string
  missingTitle: string
  lostTitle: string
  missing: string
  noAnswers: string
  brokenTitle: string
  broken: string
  largeTitle: string
  large: string
  /** How many choices to make: `{n}` of them, at least or at most `{n}`, or from `{n}` to `{most}`. */
  chooseExactly: string
  chooseAtLeast: string
  chooseAtMost: string
  chooseBetween: string
  rank: string
  rankHint: string
  moveUp: string
  moveDown: string
  keepOrder: string
  ranked: string
  skip: string
  /** What is wrong with an answer, by the domain's English message, as in gettext. */
  faults: Readonly<Record<FaultMessage, string>>
}
