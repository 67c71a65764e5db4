import { deleteEmail } from '../../../domain/email/commands.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { pluralize } from '../../layout/pluralize.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { emailPath, findSurveyEmail, invitationsPath } from './frame.ts'

/** Asks for confirmation before an unsent email is deleted. */
export async function confirmDeleteEmail(request: SurveyRequest): Promise<PageResult> {
  const email = await findSurveyEmail(request)
  return confirmPage(request, {
    title: t('Delete this invitation?'),
    beforeHeading: backLink(emailPath(request, email), email.subject),
    text: t(
      'This permanently deletes the invitation “{subject}” and its list of {recipients}. Your contacts are not deleted.',
      { subject: email.subject, recipients: pluralize(email.recipients, 'recipient') },
    ),
    button: t('Delete invitation'),
    cancel: { label: t('Cancel'), path: emailPath(request, email) },
  })
}

export async function removeEmail(request: SurveyRequest): Promise<PageResult> {
  const { id, subject } = await findSurveyEmail(request)
  await request.write((context) => deleteEmail(context, id))
  request.flash(t('“{subject}” deleted.', { subject }))
  return { redirect: invitationsPath(request) }
}
