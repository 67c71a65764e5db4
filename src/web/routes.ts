import { CALLBACK_PATH } from '../domain/identity/identity-provider.ts'
import { confirmRevokeApplication, limitApplication, revokeApplication } from './app/account/authorized-apps.ts'
import { confirmRevokeKey, createKey, revokeKey, showKeys } from './app/account/keys.ts'
import {
  deletePasskey,
  offerPasskeyCreation,
  savePasskeyName,
  showPasskey,
  startPasskey,
  submitPasskey,
} from './app/account/passkeys.ts'
import {
  confirmDeleteAccount,
  downloadAccount,
  removeAccount,
  saveLocale,
  savePassword,
  saveProfile,
  showAccount,
  signOutEverywhere,
  signOutSession,
} from './app/account/profile.ts'
import {
  makeRecoveryCodes,
  showSecondFactor,
  turnSecondFactorOff,
  turnSecondFactorOn,
} from './app/account/second-factor.ts'
import {
  confirmDeleteApplication,
  confirmNewSecret,
  removeApplication,
  renewApplicationSecret,
  saveApplication,
  showApplication,
  showApplications,
  showNewApplication,
  submitNewApplication,
} from './app/applications.ts'
import { showConsent, submitConsent } from './app/authorize.ts'
import {
  addSelectedToList,
  addToList,
  changeList,
  confirmDeleteList,
  removeFromList,
  removeList,
  saveNewList,
  showList,
  showLists,
} from './app/contact-lists.ts'
import {
  addContact,
  allowMail,
  changeContact,
  confirmDeleteContact,
  erasePerson,
  removeContact,
  showContact,
  showNewContact,
} from './app/contacts/edit.ts'
import { importContactsFile, showContactImport } from './app/contacts/import.ts'
import { downloadContacts, showContacts } from './app/contacts/list.ts'
import {
  confirmDeleteGroup,
  removeGroup,
  removeGroupMember,
  resendGroupInvitation,
  saveGroupName,
  saveMember,
  shareWithGroup,
  showGroup,
  showGroups,
  submitGroupInvitation,
  submitNewGroup,
  unshareWithGroup,
  withdrawGroupInvitation,
} from './app/groups.ts'
import {
  copyToNewSurvey,
  previewGalleryTemplate,
  showGalleryTemplate,
  showNewSurvey,
  submitNewSurvey,
} from './app/new-survey.ts'
import { downloadActivity, showActivity } from './app/people/activity.ts'
import { showHandOver, submitHandOver, withdrawOffer } from './app/people/hand-over.ts'
import { showInvitation, submitDeclined, submitInvitation, submitInvitedAccount } from './app/people/invitation.ts'
import { receiveLogoutToken } from './app/sign-in/back-channel-logout.ts'
import { showCode, submitCode } from './app/sign-in/code.ts'
import { cancelEmailConfirmation, showEmailConfirmation, submitEmailConfirmation } from './app/sign-in/confirm-email.ts'
import { offerPasskeyCode, offerPasskeySignIn, submitPasskeyCode, submitPasskeySignIn } from './app/sign-in/passkey.ts'
import {
  showForgotPassword,
  showNewPassword,
  submitForgotPassword,
  submitNewPassword,
} from './app/sign-in/password-reset.ts'
import {
  connectWithPassword,
  removeIdentity,
  returnFromProvider,
  startProviderSignIn,
} from './app/sign-in/providers.ts'
import { showSignIn, signOut, submitSignIn } from './app/sign-in/sign-in.ts'
import { showUpload, submitUpload } from './app/survey-import/moved.ts'
import { showSurveyImport, submitSurveyImport } from './app/survey-import/upload.ts'
import { confirmDeleteSurvey, copySurvey, removeSurvey, saveTag, showSurveys, toggleLive } from './app/surveys/list.ts'
import { showStopNotification, stopNotification } from './app/surveys/notification.ts'
import {
  confirmEraseSurvey,
  eraseDeletedSurvey,
  restoreDeletedSurvey,
  showDeletedSurveys,
} from './app/surveys/trash.ts'
import { saveAccountTheme, showAccountTheme } from './app/theme.ts'
import { measureAccountTheme } from './app/theme-colors.ts'
import { downloadDevMessage, showDevMailbox, showDevMessage } from './dev-mailbox.ts'
import type { Section } from './layout/app-shell.ts'
import type { Page } from './page.ts'
import {
  downloadSharedChart,
  downloadSharedData,
  downloadSharedDays,
  enterSharedReport,
  showSharedDays,
  showSharedHistogram,
  showSharedReport,
  showSharedTexts,
} from './public-report.ts'
import { showImage, showLogo, showThemeFile } from './respondent/image.ts'
import { showPrivacy } from './respondent/privacy.ts'
import { PRIVACY_PATH } from './respondent/privacy-view.ts'
import { RECEIPT_PATH, showReceipt, submitReceipt } from './respondent/receipt.ts'
import { followShortLink } from './respondent/resolve-request.ts'
import { resumeResponse, showSurvey } from './respondent/show.ts'
import { returnFromSignIn } from './respondent/sign-in/return.ts'
import { submitPage } from './respondent/submit.ts'
import { showUnsubscribe, unsubscribePage } from './respondent/unsubscribe.ts'
import { BINARY_UPLOAD, type FormLimits, MAX_UPLOAD_BYTES, type SignedInPage } from './session.ts'
import { showSharedPreview } from './shared-preview.ts'

export type Method = 'GET' | 'POST'

/**
 * The method and path of a page, further properties that depend on the kind of page, and the page function. In the
 * metrics, requests are labelled with the name of the function.
 */
export type Route<Function, Needs extends readonly unknown[] = []> = readonly [
  Method,
  path: string,
  ...Needs,
  Function,
  limits?: FormLimits,
]

// The site map: one line for each address. If several routes match a path, the first one is used.

/**
 * Pages with which respondents answer a survey: method, path, page. An overloaded server serves these pages before
 * other pages.
 */
export const respondentRoutes: readonly Route<Page>[] = [
  ['GET', '/surveys/:username/:slug/', showSurvey],
  ['POST', '/surveys/:username/:slug/', submitPage],
  ['GET', `/surveys/:username/:slug/${CALLBACK_PATH}`, returnFromSignIn],
  ['GET', `/surveys/:username/:slug/${PRIVACY_PATH}`, showPrivacy],
  ['GET', `/surveys/:username/:slug/${RECEIPT_PATH}`, showReceipt],
  ['POST', `/surveys/:username/:slug/${RECEIPT_PATH}`, submitReceipt],
  ['GET', '/surveys/:username/:slug/:key/', resumeResponse],
  ['POST', '/surveys/:username/:slug/:key/', submitPage],
]

/** Other pages, which need no session or check the session themselves: method, path, page. */
export const publicRoutes: readonly Route<Page>[] = [
  ['GET', '/accounts/login/', showSignIn],
  ['POST', '/accounts/login/', submitSignIn],
  ['GET', '/accounts/login/code/', showCode],
  ['POST', '/accounts/login/code/', submitCode],
  ['GET', '/accounts/login/code/passkey/', offerPasskeyCode],
  ['POST', '/accounts/login/code/passkey/', submitPasskeyCode],
  ['GET', '/accounts/login/passkey/', offerPasskeySignIn],
  ['POST', '/accounts/login/passkey/', submitPasskeySignIn],
  ['GET', '/accounts/sign-in/:provider/', startProviderSignIn],
  ['GET', '/accounts/sign-in/:provider/callback/', returnFromProvider],
  ['POST', '/accounts/sign-in/:provider/connect/', connectWithPassword],
  ['POST', '/accounts/sign-in/:provider/logout/', receiveLogoutToken],
  ['GET', '/accounts/invitations/', showInvitation],
  ['POST', '/accounts/invitations/', submitInvitation],
  ['POST', '/accounts/invitations/new/', submitInvitedAccount],
  ['POST', '/accounts/invitations/decline/', submitDeclined],
  ['GET', '/accounts/password/', showForgotPassword],
  ['POST', '/accounts/password/', submitForgotPassword],
  ['GET', '/accounts/password/new/', showNewPassword],
  ['POST', '/accounts/password/new/', submitNewPassword],
  ['GET', '/accounts/email/', showEmailConfirmation],
  ['POST', '/accounts/email/', submitEmailConfirmation],
  ['GET', '/accounts/developer/authorize/', showConsent],
  ['GET', '/reports/:token/', showSharedReport],
  ['POST', '/reports/:token/', enterSharedReport],
  ['GET', '/reports/:token/numbers.csv', downloadSharedData],
  ['GET', '/reports/:token/days/', showSharedDays],
  ['GET', '/reports/:token/spread/:question/', showSharedHistogram],
  ['GET', '/reports/:token/days/:form', downloadSharedDays],
  ['GET', '/reports/:token/charts/:question/:form', downloadSharedChart],
  ['GET', '/reports/:token/texts/:key/', showSharedTexts],
  ['GET', '/preview/:key/', showSharedPreview],
  ['POST', '/preview/:key/', showSharedPreview],
  ['GET', '/s/:code', followShortLink],
  ['GET', '/themes/:file', showThemeFile],
  ['GET', '/logos/:file', showLogo],
  ['GET', '/images/:file', showImage],
  ['GET', '/unsubscribe/:token/', showUnsubscribe],
  ['POST', '/unsubscribe/:token/', unsubscribePage],
  ['GET', '/notifications/:token/', showStopNotification],
  ['POST', '/notifications/:token/', stopNotification],
  ['GET', '/dev/outbox/', showDevMailbox],
  ['GET', '/dev/outbox/:id/', showDevMessage],
  ['GET', '/dev/outbox/:id/message.eml', downloadDevMessage],
]

/** Pages for signed-in users: method, path, section of the navigation, page, size limit of the form. */
export const accountRoutes: readonly Route<SignedInPage, [Section]>[] = [
  ['POST', '/accounts/logout/', 'account', signOut],
  ['GET', '/account/', 'account', showAccount],
  ['POST', '/account/', 'account', saveProfile],
  ['POST', '/account/locale/', 'account', saveLocale],
  ['POST', '/account/email/cancel/', 'account', cancelEmailConfirmation],
  ['POST', '/account/password/', 'account', savePassword],
  ['POST', '/account/sessions/', 'account', signOutEverywhere],
  ['POST', '/account/sessions/:id/', 'account', signOutSession],
  ['GET', '/account/second-factor/', 'account', showSecondFactor],
  ['POST', '/account/second-factor/', 'account', turnSecondFactorOn],
  ['POST', '/account/second-factor/codes/', 'account', makeRecoveryCodes],
  ['POST', '/account/second-factor/off/', 'account', turnSecondFactorOff],
  ['POST', '/account/second-factor/passkeys/', 'account', startPasskey],
  ['GET', '/account/second-factor/passkeys/new/', 'account', offerPasskeyCreation],
  ['POST', '/account/second-factor/passkeys/new/', 'account', submitPasskey],
  ['GET', '/account/second-factor/passkeys/:id/', 'account', showPasskey],
  ['POST', '/account/second-factor/passkeys/:id/', 'account', savePasskeyName],
  ['POST', '/account/second-factor/passkeys/:id/remove/', 'account', deletePasskey],
  ['POST', '/account/identities/:id/', 'account', removeIdentity],
  ['POST', '/account/applications/:id/limit/', 'account', limitApplication],
  ['GET', '/account/applications/:id/revoke/', 'account', confirmRevokeApplication],
  ['POST', '/account/applications/:id/revoke/', 'account', revokeApplication],
  ['GET', '/account/security/', 'account', showActivity],
  ['GET', '/account/security/csv/', 'account', downloadActivity],
  ['GET', '/account/theme/', 'account', showAccountTheme],
  ['POST', '/account/theme/', 'account', saveAccountTheme, BINARY_UPLOAD],
  ['GET', '/account/theme/contrast/', 'account', measureAccountTheme],
  ['GET', '/account/export/', 'account', downloadAccount],
  ['GET', '/account/delete/', 'account', confirmDeleteAccount],
  ['POST', '/account/delete/', 'account', removeAccount],
  ['GET', '/account/keys/', 'keys', showKeys],
  ['POST', '/account/keys/', 'keys', createKey],
  ['GET', '/account/keys/:id/revoke/', 'keys', confirmRevokeKey],
  ['POST', '/account/keys/:id/revoke/', 'keys', revokeKey],
  ['POST', '/accounts/developer/authorize/', 'account', submitConsent],
  ['GET', '/accounts/developer/', 'keys', showApplications],
  ['POST', '/accounts/developer/', 'keys', submitNewApplication],
  ['GET', '/accounts/developer/new/', 'keys', showNewApplication],
  ['GET', '/accounts/developer/:id/', 'keys', showApplication],
  ['POST', '/accounts/developer/:id/', 'keys', saveApplication],
  ['GET', '/accounts/developer/:id/secret/', 'keys', confirmNewSecret],
  ['POST', '/accounts/developer/:id/secret/', 'keys', renewApplicationSecret],
  ['GET', '/accounts/developer/:id/delete/', 'keys', confirmDeleteApplication],
  ['POST', '/accounts/developer/:id/delete/', 'keys', removeApplication],
  ['GET', '/account/surveys/', 'surveys', showSurveys],
  ['GET', '/account/surveys/trash/', 'surveys', showDeletedSurveys],
  ['POST', '/account/surveys/trash/:id/restore/', 'surveys', restoreDeletedSurvey],
  ['GET', '/account/surveys/trash/:id/erase/', 'surveys', confirmEraseSurvey],
  ['POST', '/account/surveys/trash/:id/erase/', 'surveys', eraseDeletedSurvey],
  ['GET', '/account/surveys/new/', 'surveys', showNewSurvey],
  ['POST', '/account/surveys/new/', 'surveys', submitNewSurvey, MAX_UPLOAD_BYTES],
  ['POST', '/account/surveys/new/copy/', 'surveys', copyToNewSurvey],
  ['GET', '/account/surveys/new/import/', 'surveys', showSurveyImport],
  ['POST', '/account/surveys/new/import/', 'surveys', submitSurveyImport, BINARY_UPLOAD],
  ['GET', '/account/surveys/new/import/:upload/', 'surveys', showUpload],
  ['POST', '/account/surveys/new/import/:upload/', 'surveys', submitUpload],
  ['GET', '/account/surveys/new/gallery/:template/', 'surveys', showGalleryTemplate],
  ['GET', '/account/surveys/new/gallery/:template/preview/', 'surveys', previewGalleryTemplate],
  ['POST', '/account/surveys/new/gallery/:template/preview/', 'surveys', previewGalleryTemplate, MAX_UPLOAD_BYTES],
  ['POST', '/account/surveys/:id/live/', 'surveys', toggleLive],
  ['POST', '/account/surveys/:id/tags/', 'surveys', saveTag],
  ['POST', '/account/surveys/:id/duplicate/', 'surveys', copySurvey],
  ['GET', '/account/surveys/:id/delete/', 'surveys', confirmDeleteSurvey],
  ['POST', '/account/surveys/:id/delete/', 'surveys', removeSurvey],
  ['GET', '/account/contacts/', 'contacts', showContacts],
  ['POST', '/account/contacts/', 'contacts', addSelectedToList],
  ['GET', '/account/contacts/new/', 'contacts', showNewContact],
  ['POST', '/account/contacts/new/', 'contacts', addContact],
  ['GET', '/account/contacts/import/', 'contacts', showContactImport],
  ['POST', '/account/contacts/import/', 'contacts', importContactsFile, BINARY_UPLOAD],
  ['GET', '/account/contacts/export/', 'contacts', downloadContacts],
  ['GET', '/account/contacts/lists/', 'contacts', showLists],
  ['POST', '/account/contacts/lists/', 'contacts', saveNewList],
  ['GET', '/account/contacts/lists/:list/', 'contacts', showList],
  ['POST', '/account/contacts/lists/:list/', 'contacts', changeList],
  ['POST', '/account/contacts/lists/:list/add/', 'contacts', addToList],
  ['POST', '/account/contacts/lists/:list/remove/', 'contacts', removeFromList],
  ['GET', '/account/contacts/lists/:list/delete/', 'contacts', confirmDeleteList],
  ['POST', '/account/contacts/lists/:list/delete/', 'contacts', removeList],
  ['GET', '/account/contacts/:contact/', 'contacts', showContact],
  ['POST', '/account/contacts/:contact/', 'contacts', changeContact],
  ['POST', '/account/contacts/:contact/allow/', 'contacts', allowMail],
  ['GET', '/account/contacts/:contact/delete/', 'contacts', confirmDeleteContact],
  ['POST', '/account/contacts/:contact/delete/', 'contacts', removeContact],
  ['POST', '/account/contacts/:contact/erase/', 'contacts', erasePerson],
  ['GET', '/account/hand-over/', 'account', showHandOver],
  ['POST', '/account/hand-over/', 'account', submitHandOver],
  ['POST', '/account/hand-over/:offer/withdraw/', 'account', withdrawOffer],
  ['GET', '/account/groups/', 'groups', showGroups],
  ['POST', '/account/groups/', 'groups', submitNewGroup],
  ['GET', '/account/groups/:group/', 'groups', showGroup],
  ['POST', '/account/groups/:group/', 'groups', saveGroupName],
  ['GET', '/account/groups/:group/delete/', 'groups', confirmDeleteGroup],
  ['POST', '/account/groups/:group/delete/', 'groups', removeGroup],
  ['POST', '/account/groups/:group/members/', 'groups', saveMember],
  ['POST', '/account/groups/:group/members/remove/', 'groups', removeGroupMember],
  ['POST', '/account/groups/:group/invitations/', 'groups', submitGroupInvitation],
  ['POST', '/account/groups/:group/invitations/:invitation/resend/', 'groups', resendGroupInvitation],
  ['POST', '/account/groups/:group/invitations/:invitation/withdraw/', 'groups', withdrawGroupInvitation],
  ['POST', '/account/groups/:group/surveys/', 'groups', shareWithGroup],
  ['POST', '/account/groups/:group/surveys/remove/', 'groups', unshareWithGroup],
]
