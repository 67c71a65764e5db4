import { changeDraft } from './app/builder/change.ts'
import {
  removeComment,
  saveComment,
  saveCommentEmails,
  saveReply,
  saveResolved,
  showComments,
} from './app/builder/comments.ts'
import { saveCondition, showCondition } from './app/builder/condition.ts'
import { saveCopy, showCopy } from './app/builder/copy.ts'
import { saveFilter, showFilter } from './app/builder/filter.ts'
import { saveLanguages, showLanguages } from './app/builder/languages.ts'
import {
  deleteLibraryEntry,
  insertLibraryEntry,
  renameLibraryEntry,
  saveLibraryEntry,
  showLibrary,
  showLibraryPreview,
  showSaveToLibrary,
} from './app/builder/library.ts'
import { savePage, saveSurveyForm, showPageForm, showSurveyForm } from './app/builder/page-form.ts'
import { showPaper } from './app/builder/paper.ts'
import { showPreview } from './app/builder/preview.ts'
import { revokePreviewLinkPage, savePreviewLink, showPreviewLinks } from './app/builder/preview-links.ts'
import { confirmDiscardDraft, discardDraftPage, publishPage, showCheck } from './app/builder/publish.ts'
import { saveImage, saveQuestion, showQuestion } from './app/builder/question.ts'
import { saveQuotas, showQuotas } from './app/builder/quotas.ts'
import { showRehearsal, startRehearsal } from './app/builder/rehearsal.ts'
import { saveDecision, saveReviewRequest, showReview } from './app/builder/review.ts'
import { showBuilder } from './app/builder/show.ts'
import { saveSkips, showSkips } from './app/builder/skips.ts'
import { saveTranslations, showTranslations } from './app/builder/translate.ts'
import { showRound } from './app/coding/agreement.ts'
import { saveCoding, showCoding } from './app/coding/answers.ts'
import {
  applyRulePage,
  closeRoundPage,
  confirmDeleteCategory,
  openRoundPage,
  removeCategory,
  removeRule,
  saveCategory,
  saveNewCategory,
  saveRule,
  showFrame,
} from './app/coding/frame.ts'
import { showWords } from './app/coding/words.ts'
import {
  confirmDeleteCollector,
  downloadCollectorQrCode,
  removeCollector,
  saveCollector,
  saveNewCollector,
  setCollectorLive,
  showCollector,
  showCollectors,
} from './app/collectors.ts'
import { removeEmbed, showEmbeds, submitNewEmbed } from './app/embeds.ts'
import { showFieldwork } from './app/fieldwork.ts'
import { createInviteCodes, showCodes } from './app/invitations/codes.ts'
import { saveEmail, saveNewEmail, showEditEmail, showNewEmail } from './app/invitations/edit.ts'
import { confirmDeleteEmail, removeEmail, showEmails } from './app/invitations/list.ts'
import { showEmailHtml, showEmailPreview } from './app/invitations/preview.ts'
import { addRecipientsPage, removeRecipientPage, showRecipients } from './app/invitations/recipients.ts'
import { cancelSending, sendDraft, sendReminder, sendTest, sendToFailed, showReminder } from './app/invitations/send.ts'
import { saveReminders, showEmail } from './app/invitations/show.ts'
import { removePanelReturn, rotatePanelSecretPage, savePanelReturn, showPanelReturn } from './app/panel-return.ts'
import { downloadSurveyActivity, showSurveyActivity } from './app/people/activity.ts'
import {
  addSurveyGroup,
  removeSurveyGroup,
  removeTeamMemberPage,
  resendTeamInvitationPage,
  saveTeamMember,
  showShare,
  submitTeamInvitation,
  withdrawTeamInvitationPage,
} from './app/people/share.ts'
import {
  confirmDeleteReport,
  removeReport,
  saveNewReport,
  saveReport,
  showEditReport,
  showNewReport,
} from './app/reports/edit.ts'
import { confirmStopSharing, saveSharing, showReports } from './app/reports/list.ts'
import {
  applyReportForm,
  downloadAnalysis,
  downloadChart,
  downloadComparison,
  downloadCrossTable,
  downloadDays,
  downloadReportData,
  downloadTrend,
  showAnalysis,
  showComparison,
  showCrossTable,
  showDays,
  showHistogram,
  showReport,
  showTexts,
  showTrend,
} from './app/reports/show.ts'
import { deleteWeights, saveWeights, showWeights } from './app/reports/weights.ts'
import {
  confirmDeleteMatching,
  confirmDeleteResponse,
  removeMatching,
  removeResponse,
  removeSelectedResponses,
} from './app/responses/delete.ts'
import { showDownload } from './app/responses/download.ts'
import { saveAnswer, showAnswerForm } from './app/responses/edit.ts'
import { downloadFile, exportFile, showCodebook } from './app/responses/export.ts'
import { countNewResponses, setStatus } from './app/responses/frame.ts'
import { importResponseFile, showImport } from './app/responses/import.ts'
import { applyListForm, showResponses } from './app/responses/list.ts'
import {
  createSavedFilter,
  removeSavedFilter,
  renameSavedFilter,
  showSavedFilters,
} from './app/responses/saved-filters.ts'
import { saveSheet, showSheet, startSheets } from './app/responses/sheets.ts'
import { showResponse } from './app/responses/show.ts'
import { confirmEmptyTrash, emptyTrash, restoreFromTrash, showTrash } from './app/responses/trash.ts'
import { saveSettings, showSettings } from './app/settings/edit.ts'
import { showProviderFailures, testProvider } from './app/settings/sign-in.ts'
import { checkStructure, saveStructure, showStructure } from './app/structure-editor/editor.ts'
import { showImportProof } from './app/survey-import/moved.ts'
import { saveNotification } from './app/surveys/notification.ts'
import { showOverview, showQrCode } from './app/surveys/show.ts'
import type { SurveyPage, Tab } from './app/surveys/survey-page.ts'
import { saveSurveyTexts, showSurveyTexts } from './app/texts.ts'
import { saveTheme, showTheme } from './app/theme.ts'
import { measureSurveyTheme } from './app/theme-colors.ts'
import {
  compareVersions,
  confirmRestoreVersion,
  restoreVersionPage,
  showVersion,
  showVersions,
} from './app/versions.ts'
import { confirmRotateSecret, rotateSecretPage, saveNewWebhook, showNewWebhook } from './app/webhooks/new.ts'
import type { WebhookPage } from './app/webhooks/scope.ts'
import {
  confirmDeleteWebhook,
  redeliverPage,
  removeWebhook,
  sendSample,
  showDelivery,
  showWebhook,
  showWebhooks,
} from './app/webhooks/show.ts'
import type { Route } from './routes.ts'
import { BINARY_UPLOAD, MAX_UPLOAD_BYTES } from './session.ts'

/**
 * Pages of one survey: method, path, tab, page, size limit of the form. The tab determines which permission the user
 * must have to open the page.
 */
export const surveyRoutes: readonly Route<SurveyPage, [Tab]>[] = [
  ['GET', '/account/surveys/:id/', 'overview', showOverview],
  ['GET', '/account/surveys/:id/image/:file', 'overview', showQrCode],
  ['GET', '/account/surveys/:id/edit/', 'edit', showBuilder],
  ['POST', '/account/surveys/:id/edit/', 'edit', changeDraft],
  ['GET', '/account/surveys/:id/edit/question/', 'edit', showQuestion],
  ['POST', '/account/surveys/:id/edit/question/', 'edit', saveQuestion, BINARY_UPLOAD],
  ['POST', '/account/surveys/:id/edit/image/', 'edit', saveImage, BINARY_UPLOAD],
  ['GET', '/account/surveys/:id/edit/condition/', 'edit', showCondition],
  ['POST', '/account/surveys/:id/edit/condition/', 'edit', saveCondition],
  ['GET', '/account/surveys/:id/edit/filter/', 'edit', showFilter],
  ['POST', '/account/surveys/:id/edit/filter/', 'edit', saveFilter, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/skips/', 'edit', showSkips],
  ['POST', '/account/surveys/:id/edit/skips/', 'edit', saveSkips],
  ['GET', '/account/surveys/:id/edit/quotas/', 'edit', showQuotas],
  ['POST', '/account/surveys/:id/edit/quotas/', 'edit', saveQuotas],
  ['GET', '/account/surveys/:id/edit/languages/', 'edit', showLanguages],
  ['POST', '/account/surveys/:id/edit/languages/', 'edit', saveLanguages],
  ['GET', '/account/surveys/:id/edit/languages/translate/', 'edit', showTranslations],
  ['POST', '/account/surveys/:id/edit/languages/translate/', 'edit', saveTranslations, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/page/', 'edit', showPageForm],
  ['POST', '/account/surveys/:id/edit/page/', 'edit', savePage],
  ['GET', '/account/surveys/:id/edit/survey/', 'edit', showSurveyForm],
  ['POST', '/account/surveys/:id/edit/survey/', 'edit', saveSurveyForm],
  ['GET', '/account/surveys/:id/edit/check/', 'edit', showCheck],
  ['GET', '/account/surveys/:id/edit/rehearsal/', 'edit', showRehearsal],
  ['POST', '/account/surveys/:id/edit/rehearsal/', 'edit', startRehearsal],
  ['POST', '/account/surveys/:id/edit/publish/', 'edit', publishPage],
  ['GET', '/account/surveys/:id/edit/discard/', 'edit', confirmDiscardDraft],
  ['POST', '/account/surveys/:id/edit/discard/', 'edit', discardDraftPage],
  ['GET', '/account/surveys/:id/edit/json/', 'edit', showStructure],
  ['POST', '/account/surveys/:id/edit/json/', 'edit', saveStructure, MAX_UPLOAD_BYTES],
  ['POST', '/account/surveys/:id/edit/json/check/', 'edit', checkStructure, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/preview/', 'edit', showPreview],
  ['POST', '/account/surveys/:id/edit/preview/', 'edit', showPreview, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/paper/', 'edit', showPaper],
  ['GET', '/account/surveys/:id/edit/comments/', 'edit', showComments],
  ['POST', '/account/surveys/:id/edit/comments/', 'edit', saveComment],
  ['POST', '/account/surveys/:id/edit/comments/emails/', 'edit', saveCommentEmails],
  ['POST', '/account/surveys/:id/edit/comments/:comment/reply/', 'edit', saveReply],
  ['POST', '/account/surveys/:id/edit/comments/:comment/resolve/', 'edit', saveResolved],
  ['POST', '/account/surveys/:id/edit/comments/:comment/delete/', 'edit', removeComment],
  ['GET', '/account/surveys/:id/edit/copy/', 'edit', showCopy],
  ['POST', '/account/surveys/:id/edit/copy/', 'edit', saveCopy],
  ['GET', '/account/surveys/:id/edit/library/', 'edit', showLibrary],
  ['POST', '/account/surveys/:id/edit/library/', 'edit', insertLibraryEntry],
  ['GET', '/account/surveys/:id/edit/library/save/', 'edit', showSaveToLibrary],
  ['POST', '/account/surveys/:id/edit/library/save/', 'edit', saveLibraryEntry],
  ['POST', '/account/surveys/:id/edit/library/delete/', 'edit', deleteLibraryEntry],
  ['POST', '/account/surveys/:id/edit/library/rename/', 'edit', renameLibraryEntry],
  ['GET', '/account/surveys/:id/edit/library/:entry/preview/', 'edit', showLibraryPreview],
  ['POST', '/account/surveys/:id/edit/library/:entry/preview/', 'edit', showLibraryPreview, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/review/', 'edit', showReview],
  ['POST', '/account/surveys/:id/edit/review/', 'edit', saveReviewRequest],
  ['POST', '/account/surveys/:id/edit/review/decide/', 'edit', saveDecision],
  ['GET', '/account/surveys/:id/edit/preview-links/', 'edit', showPreviewLinks],
  ['POST', '/account/surveys/:id/edit/preview-links/', 'edit', savePreviewLink],
  ['POST', '/account/surveys/:id/edit/preview-links/:link/revoke/', 'edit', revokePreviewLinkPage],
  ['GET', '/account/surveys/:id/edit/theme/', 'edit', showTheme],
  ['POST', '/account/surveys/:id/edit/theme/', 'edit', saveTheme, BINARY_UPLOAD],
  ['GET', '/account/surveys/:id/edit/theme/contrast/', 'edit', measureSurveyTheme],
  ['GET', '/account/surveys/:id/edit/texts/', 'edit', showSurveyTexts],
  ['POST', '/account/surveys/:id/edit/texts/', 'edit', saveSurveyTexts, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/versions/', 'edit', showVersions],
  ['GET', '/account/surveys/:id/edit/versions/diff/', 'edit', compareVersions],
  ['GET', '/account/surveys/:id/edit/versions/:version/', 'edit', showVersion],
  ['GET', '/account/surveys/:id/edit/versions/:version/restore/', 'edit', confirmRestoreVersion],
  ['POST', '/account/surveys/:id/edit/versions/:version/restore/', 'edit', restoreVersionPage],
  ['GET', '/account/surveys/:id/edit/settings/', 'edit', showSettings],
  ['POST', '/account/surveys/:id/edit/settings/', 'edit', saveSettings, MAX_UPLOAD_BYTES],
  ['GET', '/account/surveys/:id/edit/settings/sign-in/', 'edit', showProviderFailures],
  ['POST', '/account/surveys/:id/edit/settings/sign-in/', 'edit', testProvider],
  ['POST', '/account/surveys/:id/notification/', 'responses', saveNotification],
  ['GET', '/account/surveys/:id/responses/', 'responses', showResponses],
  ['GET', '/account/surveys/:id/responses/compose/', 'responses', applyListForm],
  ['GET', '/account/surveys/:id/responses/new/', 'responses', countNewResponses],
  ['GET', '/account/surveys/:id/responses/filters/', 'responses', showSavedFilters],
  ['POST', '/account/surveys/:id/responses/filters/', 'responses', createSavedFilter],
  ['POST', '/account/surveys/:id/responses/filters/rename/', 'responses', renameSavedFilter],
  ['POST', '/account/surveys/:id/responses/filters/delete/', 'responses', removeSavedFilter],
  ['GET', '/account/surveys/:id/responses/download/', 'responses', showDownload],
  ['GET', '/account/surveys/:id/responses/codebook/', 'responses', showCodebook],
  ['GET', '/account/surveys/:id/responses/export/', 'responses', exportFile],
  ['GET', '/account/surveys/:id/responses/import/', 'responses', showImport],
  ['POST', '/account/surveys/:id/responses/import/', 'responses', importResponseFile, BINARY_UPLOAD],
  ['GET', '/account/surveys/:id/import/', 'responses', showImportProof],
  ['POST', '/account/surveys/:id/responses/delete/', 'responses', removeSelectedResponses],
  ['GET', '/account/surveys/:id/responses/deletion/', 'responses', confirmDeleteMatching],
  ['POST', '/account/surveys/:id/responses/deletion/', 'responses', removeMatching],
  ['GET', '/account/surveys/:id/responses/sheets/', 'responses', showSheet],
  ['POST', '/account/surveys/:id/responses/sheets/', 'responses', saveSheet, MAX_UPLOAD_BYTES],
  ['POST', '/account/surveys/:id/responses/sheets/start/', 'responses', startSheets],
  ['GET', '/account/surveys/:id/responses/trash/', 'responses', showTrash],
  ['GET', '/account/surveys/:id/responses/trash/empty/', 'responses', confirmEmptyTrash],
  ['POST', '/account/surveys/:id/responses/trash/empty/', 'responses', emptyTrash],
  ['POST', '/account/surveys/:id/responses/trash/:response/restore/', 'responses', restoreFromTrash],
  ['GET', '/account/surveys/:id/responses/coding/', 'responses', showCoding],
  ['POST', '/account/surveys/:id/responses/coding/', 'responses', saveCoding],
  ['GET', '/account/surveys/:id/responses/coding/frame/', 'responses', showFrame],
  ['POST', '/account/surveys/:id/responses/coding/frame/categories/', 'responses', saveNewCategory],
  ['POST', '/account/surveys/:id/responses/coding/frame/categories/:category/', 'responses', saveCategory],
  [
    'GET',
    '/account/surveys/:id/responses/coding/frame/categories/:category/delete/',
    'responses',
    confirmDeleteCategory,
  ],
  ['POST', '/account/surveys/:id/responses/coding/frame/categories/:category/delete/', 'responses', removeCategory],
  ['POST', '/account/surveys/:id/responses/coding/frame/rules/', 'responses', saveRule],
  ['POST', '/account/surveys/:id/responses/coding/frame/rules/:rule/apply/', 'responses', applyRulePage],
  ['POST', '/account/surveys/:id/responses/coding/frame/rules/:rule/delete/', 'responses', removeRule],
  ['POST', '/account/surveys/:id/responses/coding/frame/rounds/', 'responses', openRoundPage],
  ['POST', '/account/surveys/:id/responses/coding/frame/rounds/:round/close/', 'responses', closeRoundPage],
  ['GET', '/account/surveys/:id/responses/coding/rounds/:round/', 'responses', showRound],
  ['GET', '/account/surveys/:id/responses/coding/words/', 'responses', showWords],
  ['GET', '/account/surveys/:id/responses/:response/', 'responses', showResponse],
  ['GET', '/account/surveys/:id/responses/:response/answer/', 'responses', showAnswerForm],
  ['POST', '/account/surveys/:id/responses/:response/answer/', 'responses', saveAnswer],
  ['POST', '/account/surveys/:id/responses/:response/status/', 'responses', setStatus],
  ['GET', '/account/surveys/:id/responses/:response/delete/', 'responses', confirmDeleteResponse],
  ['POST', '/account/surveys/:id/responses/:response/delete/', 'responses', removeResponse],
  ['GET', '/account/surveys/:id/files/:file/', 'responses', downloadFile],
  ['GET', '/account/surveys/:id/reports/', 'reports', showReports],
  ['POST', '/account/surveys/:id/reports/sharing/', 'reports', saveSharing],
  ['GET', '/account/surveys/:id/reports/sharing/stop/', 'reports', confirmStopSharing],
  ['GET', '/account/surveys/:id/reports/weights/', 'reports', showWeights],
  ['POST', '/account/surveys/:id/reports/weights/', 'reports', saveWeights],
  ['POST', '/account/surveys/:id/reports/weights/delete/', 'reports', deleteWeights],
  ['GET', '/account/surveys/:id/reports/new/', 'reports', showNewReport],
  ['POST', '/account/surveys/:id/reports/new/', 'reports', saveNewReport],
  ['GET', '/account/surveys/:id/reports/:report/', 'reports', showReport],
  ['GET', '/account/surveys/:id/reports/:report/compose/', 'reports', applyReportForm],
  ['GET', '/account/surveys/:id/reports/:report/edit/', 'reports', showEditReport],
  ['POST', '/account/surveys/:id/reports/:report/edit/', 'reports', saveReport],
  ['GET', '/account/surveys/:id/reports/:report/delete/', 'reports', confirmDeleteReport],
  ['POST', '/account/surveys/:id/reports/:report/delete/', 'reports', removeReport],
  ['GET', '/account/surveys/:id/reports/:report/numbers.csv', 'reports', downloadReportData],
  ['GET', '/account/surveys/:id/reports/:report/cross-table/', 'reports', showCrossTable],
  ['GET', '/account/surveys/:id/reports/:report/cross-table/numbers.csv', 'reports', downloadCrossTable],
  ['GET', '/account/surveys/:id/reports/:report/trend/', 'reports', showTrend],
  ['GET', '/account/surveys/:id/reports/:report/trend/:form', 'reports', downloadTrend],
  ['GET', '/account/surveys/:id/reports/:report/groups/', 'reports', showComparison],
  ['GET', '/account/surveys/:id/reports/:report/groups/numbers.csv', 'reports', downloadComparison],
  ['GET', '/account/surveys/:id/reports/:report/analysis/', 'reports', showAnalysis],
  ['GET', '/account/surveys/:id/reports/:report/analysis.zip', 'reports', downloadAnalysis],
  ['GET', '/account/surveys/:id/reports/:report/days/', 'reports', showDays],
  ['GET', '/account/surveys/:id/reports/:report/days/:form', 'reports', downloadDays],
  ['GET', '/account/surveys/:id/reports/:report/charts/:question/:form', 'reports', downloadChart],
  ['GET', '/account/surveys/:id/reports/:report/spread/:question/', 'reports', showHistogram],
  ['GET', '/account/surveys/:id/reports/:report/texts/:key/', 'reports', showTexts],
  ['GET', '/account/surveys/:id/fieldwork/', 'fieldwork', showFieldwork],
  ['GET', '/account/surveys/:id/invitations/', 'invitations', showEmails],
  ['GET', '/account/surveys/:id/invitations/codes/', 'invitations', showCodes],
  ['POST', '/account/surveys/:id/invitations/codes/', 'invitations', createInviteCodes],
  ['GET', '/account/surveys/:id/invitations/new/', 'invitations', showNewEmail],
  ['POST', '/account/surveys/:id/invitations/new/', 'invitations', saveNewEmail],
  ['GET', '/account/surveys/:id/invitations/:email/', 'invitations', showEmail],
  ['GET', '/account/surveys/:id/invitations/:email/edit/', 'invitations', showEditEmail],
  ['POST', '/account/surveys/:id/invitations/:email/edit/', 'invitations', saveEmail],
  ['GET', '/account/surveys/:id/invitations/:email/preview/', 'invitations', showEmailPreview],
  ['GET', '/account/surveys/:id/invitations/:email/preview/html/', 'invitations', showEmailHtml],
  ['GET', '/account/surveys/:id/invitations/:email/recipients/', 'invitations', showRecipients],
  ['POST', '/account/surveys/:id/invitations/:email/recipients/', 'invitations', addRecipientsPage],
  ['POST', '/account/surveys/:id/invitations/:email/recipients/remove/', 'invitations', removeRecipientPage],
  ['POST', '/account/surveys/:id/invitations/:email/test/', 'invitations', sendTest],
  ['POST', '/account/surveys/:id/invitations/:email/send/', 'invitations', sendDraft],
  ['POST', '/account/surveys/:id/invitations/:email/unschedule/', 'invitations', cancelSending],
  ['POST', '/account/surveys/:id/invitations/:email/resend/', 'invitations', sendToFailed],
  ['GET', '/account/surveys/:id/invitations/:email/remind/', 'invitations', showReminder],
  ['POST', '/account/surveys/:id/invitations/:email/remind/', 'invitations', sendReminder],
  ['POST', '/account/surveys/:id/invitations/:email/reminders/', 'invitations', saveReminders],
  ['GET', '/account/surveys/:id/invitations/:email/delete/', 'invitations', confirmDeleteEmail],
  ['POST', '/account/surveys/:id/invitations/:email/delete/', 'invitations', removeEmail],
  ['GET', '/account/surveys/:id/share/', 'share', showShare],
  ['GET', '/account/surveys/:id/activity/', 'share', showSurveyActivity],
  ['GET', '/account/surveys/:id/activity/csv/', 'share', downloadSurveyActivity],
  ['POST', '/account/surveys/:id/share/invitations/', 'share', submitTeamInvitation],
  ['POST', '/account/surveys/:id/share/invitations/:invitation/resend/', 'share', resendTeamInvitationPage],
  ['POST', '/account/surveys/:id/share/invitations/:invitation/withdraw/', 'share', withdrawTeamInvitationPage],
  ['POST', '/account/surveys/:id/share/members/', 'share', saveTeamMember],
  ['POST', '/account/surveys/:id/share/members/remove/', 'share', removeTeamMemberPage],
  ['POST', '/account/surveys/:id/share/groups/', 'share', addSurveyGroup],
  ['POST', '/account/surveys/:id/share/groups/remove/', 'share', removeSurveyGroup],
  ['GET', '/account/surveys/:id/collectors/', 'collectors', showCollectors],
  ['POST', '/account/surveys/:id/collectors/', 'collectors', saveNewCollector],
  ['GET', '/account/surveys/:id/collectors/:collector/', 'collectors', showCollector],
  ['POST', '/account/surveys/:id/collectors/:collector/', 'collectors', saveCollector],
  ['POST', '/account/surveys/:id/collectors/:collector/live/', 'collectors', setCollectorLive],
  ['GET', '/account/surveys/:id/collectors/:collector/delete/', 'collectors', confirmDeleteCollector],
  ['POST', '/account/surveys/:id/collectors/:collector/delete/', 'collectors', removeCollector],
  ['GET', '/account/surveys/:id/collectors/:collector/image/:file', 'collectors', downloadCollectorQrCode],
  ['GET', '/account/surveys/:id/collectors/:collector/panel/', 'collectors', showPanelReturn],
  ['POST', '/account/surveys/:id/collectors/:collector/panel/', 'collectors', savePanelReturn],
  ['POST', '/account/surveys/:id/collectors/:collector/panel/secret/', 'collectors', rotatePanelSecretPage],
  ['POST', '/account/surveys/:id/collectors/:collector/panel/delete/', 'collectors', removePanelReturn],
  ['GET', '/account/surveys/:id/embeds/', 'collectors', showEmbeds],
  ['POST', '/account/surveys/:id/embeds/', 'collectors', submitNewEmbed],
  ['POST', '/account/surveys/:id/embeds/:embed/delete/', 'collectors', removeEmbed],
]

/**
 * Pages of webhooks. Each page exists at two addresses: below `/account/webhooks/` for all webhooks of the account, and
 * below the address of a survey for the webhooks of that survey.
 */
export const webhookRoutes: readonly Route<WebhookPage>[] = [
  ['GET', '', showWebhooks],
  ['GET', 'new/', showNewWebhook],
  ['POST', 'new/', saveNewWebhook],
  ['GET', ':webhook/', showWebhook],
  ['POST', ':webhook/ping/', sendSample],
  ['GET', ':webhook/rotate/', confirmRotateSecret],
  ['POST', ':webhook/rotate/', rotateSecretPage],
  ['GET', ':webhook/delete/', confirmDeleteWebhook],
  ['POST', ':webhook/delete/', removeWebhook],
  ['GET', ':webhook/deliveries/:delivery/', showDelivery],
  ['POST', ':webhook/deliveries/:delivery/', redeliverPage],
]
