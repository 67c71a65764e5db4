import { listMessages, type MessageSummary } from '../../../domain/email/progress.ts'
import type { EmailSummary } from '../../../domain/email/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { t } from '../../i18n/t.ts'
import { pager, pathWith } from '../../layout/pager.ts'
import { pluralize } from '../../layout/pluralize.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { refreshAttribute } from './frame.ts'

const PAGE_SIZE = 50

/** Renders the recipients with the progress of their messages. */
export async function recipientsProgress(
  { context, query, may, root }: SurveyRequest,
  email: EmailSummary,
  path: string,
): Promise<Html> {
  const page = pageOf({ page: Number(query.get('page')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, messages } = await listMessages(context, email.id, page)
  const responses = may('Analyze') ? `${root}responses/` : undefined
  return html`<section class="card" id="timeline" aria-labelledby="recipients"${refreshAttribute(email, context.now)}><h2 id="recipients">Recipients</h2>
<ul class="rows">${messages.map((message) => messageRow(message, responses))}</ul></section>
${pager({ number: page.number, total, size: PAGE_SIZE, path: (number) => pathWith(path, { page: number }) })}`
}

/**
 * Renders a recipient and the steps that the message to this recipient has reached.
 * @param responses the path of the list of responses; undefined if the user may not see responses
 */
const messageRow = (message: MessageSummary, responses: string | undefined): Html =>
  html`<li><div class="grow"><strong>${message.name || t('Deleted contact')}</strong> <span class="soft">${message.email !== message.name && message.email}</span>
<ol class="steps">${steps(message).map(({ label, at, bad }) => html`<li${bad && html` class="bad"`}>${label}${at && html` <span class="soft">${timeTag(at)}</span>`}</li>`)}</ol></div>
${responses && message.responseId !== null && html`<a href="${responses}${message.responseId}/">Response<span class="hidden"> of ${message.name}</span></a>`}</li>`

interface Step {
  label: string
  at?: Date | null
  bad?: boolean
}

/** Returns the steps that a message and its invitation have reached, in the order in which they usually happen. */
function steps({
  state,
  attempts,
  error,
  nextAt,
  sentAt,
  status,
  viewedAt,
  bouncedAt,
  unsubscribedAt,
  completedAt,
}: MessageSummary): Step[] {
  const reason = error ? `: ${error}` : ''
  const attemptsText =
    attempts > 0 ? t(' after {attempts}{reason}', { attempts: pluralize(attempts, 'attempt'), reason }) : ''
  const stepByState: Readonly<Record<MessageSummary['state'], Step>> = {
    added: { label: t('Added') },
    queued: { label: t('Pending{attemptsText}. Next attempt:', { attemptsText }), at: nextAt },
    sending: { label: t('Sending') },
    sent: { label: t('Sent'), at: sentAt },
    failed: { label: t('Failed{reason}', { reason }), at: bouncedAt, bad: true },
    bounced: { label: t('Bounced{reason}', { reason }), at: bouncedAt, bad: true },
    skipped: { label: t('Skipped: unsubscribed or deleted') },
  }
  return [
    stepByState[state],
    ...(viewedAt ? [{ label: t('Viewed the survey'), at: viewedAt }] : []),
    ...(status === 'Incomplete' ? [{ label: t('Started the survey') }] : []),
    ...(status === 'Completed' ? [{ label: t('Completed'), at: completedAt }] : []),
    ...(unsubscribedAt ? [{ label: t('Unsubscribed'), at: unsubscribedAt }] : []),
  ]
}
