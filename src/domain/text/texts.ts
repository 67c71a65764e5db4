import type { AnswerErrorCode } from '../structure/answer-error.ts'
import type { Text } from './text.ts'

/** Texts of the service on survey pages, in one language. Placeholders such as `{n}` are replaced. */
export interface Texts {
  next: string
  submit: string
  back: string
  saveForLater: string
  required: string
  choose: string
  noAnswer: string
  otherText: string
  progress: string
  pages: string
  language: string
  errorTitle: string
  errorPrefix: string
  moreQuestions: string
  answerFirst: string
  surveyChanged: string
  rateLimited: string
  thankYouTitle: string
  thankYou: string
  terminatedTitle: string
  terminated: string
  savedTitle: string
  saved: string
  continueNow: string
  qrCode: string
  copyLink: string
  linkCopied: string
  emailLink: string
  emailAddress: string
  sendLink: string
  linkSent: string
  linkNotSent: string
  linkSubject: string
  linkMail: string
  resumeTitle: string
  resumeText: string
  resumeContinue: string
  startAgain: string
  closedTitle: string
  closed: string
  notYetOpen: string
  ended: string
  empty: string
  full: string
  /** Added when a response exists. */
  closedSince: string
  invitationRequired: string
  unknownCode: string
  /** Notice on a survey that was opened with an unknown invite code. */
  unlinkedCode: string
  used: string
  unsubscribeTitle: string
  unsubscribeQuestion: string
  unsubscribeText: string
  unsubscribe: string
  unsubscribedTitle: string
  passwordTitle: string
  passwordText: string
  password: string
  passwordWrong: string
  passwordWait: string
  cookiesBlocked: string
  openNewWindow: string
  testNotice: string
  goToSurvey: string
  signInTitle: string
  signedOut: string
  signIn: string
  signInNewWindow: string
  notSignedInTitle: string
  notSignedIn: string
  deniedTitle: string
  denied: string
  signInUnavailableTitle: string
  signInUnavailable: string
  signInMisconfigured: Text
  tryAgain: string
  answersNotSaved: string
  answersNotSavedSignIn: string
  submitAgain: string
  surveyNotFoundTitle: string
  pageNotFoundTitle: string
  notFound: string
  noSavedAnswersTitle: string
  serverErrorTitle: string
  serverError: string
  tooLargeTitle: string
  tooLarge: string
  tooManyRequestsTitle: string
  tooManyRequests: string
  /** Number of choices: exactly `{n}`, at least `{n}`, at most `{n}`, or from `{n}` to `{most}`. */
  chooseExactly: Text
  chooseAtLeast: Text
  chooseAtMost: Text
  chooseBetween: Text
  /** Limits of a number. */
  numberBetween: string
  numberAtLeast: string
  numberAtMost: string
  /** A rating of `{n}` out of `{of}` stars. */
  ratingValue: string
  agree: string
  /**
   * A signature: a typed name, and optionally a drawing. Without JavaScript, respondents choose a picture instead of
   * drawing.
   */
  signatureHint: Text
  signatureName: Text
  signatureDraw: Text
  signaturePicture: Text
  clearSignature: Text
  signatureDrawn: Text
  signatureCleared: Text
  /** Limits of a file upload. */
  fileHintOne: Text
  fileHintMany: Text
  /** Shown if JavaScript is turned off. */
  untickFile: Text
  removeFile: Text
  uploading: Text
  uploaded: Text
  fileRemoved: Text
  uploadFailed: Text
  uploadRunning: Text
  /** The types of files that a question accepts, as part of a list. */
  fileGroupImage: Text
  fileGroupPdf: Text
  fileGroupDocument: Text
  fileGroupSpreadsheet: Text
  fileGroupText: Text
  fileGroupAudio: Text
  fileGroupVideo: Text
  fileGroupArchive: Text
  rank: string
  rankHint: string
  moveUp: string
  moveDown: string
  keepOrder: string
  ranked: string
  skip: string
  /** Errors in answers, by code; parameters such as `{min}` are replaced. */
  errors: Readonly<Record<AnswerErrorCode, Text>>
}
