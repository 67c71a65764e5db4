import { deleteEmail } from '../../../domain/email/commands.ts'
import { type EmailSummary, listEmails } from '../../../domain/email/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { backLink, emptyState, icon, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import {
  emailPath,
  findSurveyEmail,
  invitationsPath,
  noMailView,
  progressView,
  scheduleView,
  statusTag,
  tabsView,
} from './frame.ts'

const PAGE_SIZE = 20

/** Lists the invitation emails that the user created for the survey, newest first. */
export async function showEmails(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, query } = request
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, emails } = await listEmails(context, survey.id, page)
  const root = invitationsPath(request)
  return request.render({
    title: t('Invitations'),
    action: total > 0 && html`<a class="button" href="${root}new/">${icon('plus')}New invitation</a>`,
    content: html`
      ${tabsView(request, 'emails')}
      ${noMailView(request)}
      ${
        total === 0
          ? emptyState(
              'invitations',
              t('No invitations yet'),
              t(
                'Write an email, choose recipients, and send it now or later. Each recipient gets a personal link, so you can see who has answered.',
              ),
              { path: `${root}new/`, label: t('New invitation') },
            )
          : html`<ul class="cards">${emails.map((email) => emailCard(request, email))}</ul>`
      }
      ${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(root, { page: number }) })}`,
  })
}

const emailCard = (request: SurveyRequest, email: EmailSummary): Html =>
  html`<li class="card">
    <div class="line">
      <h2><a href="${emailPath(request, email)}">${email.subject}</a></h2>
      ${statusTag(email, request.context)}
    </div>
    <p class="soft">
      ${email.reminderOf !== null && t('Reminder, ')}
      ${pluralize(email.recipients, 'recipient')}, ${scheduleView(email, request.context)}
    </p>
    ${progressView(email, request.context)}
  </li>`

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
