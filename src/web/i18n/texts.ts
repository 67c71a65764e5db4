import type { AnswerErrorCode } from '../../domain/structure/answer-error.ts'

/** Texts of the service on survey pages, in one language. Placeholders such as `{n}` are replaced. */
export interface Texts {
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
  /** Notice on a survey that was opened with an unknown invite code. */
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
  /** Number of choices: exactly `{n}`, at least `{n}`, at most `{n}`, or from `{n}` to `{most}`. */
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
  /** Errors in answers, by code; parameters such as `{min}` are replaced. */
  errors: Readonly<Record<AnswerErrorCode, string>>
}
