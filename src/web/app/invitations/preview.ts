import { listContacts } from '../../../domain/contact/queries.ts'
import { previewEmail } from '../../../domain/email/preview.ts'
import type { EmailSummary } from '../../../domain/email/queries.ts'
import { html } from '../../../lib/html.ts'
import { setContentSecurityPolicy } from '../../csp.ts'
import { select } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { backView, emailPath, findSurveyEmail } from './frame.ts'

const MAX_RECIPIENTS = 100

/** Returns for whom the address shows the message: a contact, or a sample recipient with one of the languages. */
function readRecipient({ query }: SurveyRequest, { translations }: EmailSummary) {
  const value = query.get('contact') ?? ''
  if (Object.hasOwn(translations, value)) return { value, language: value }
  const contactId = parseId(value) || undefined
  return { value: contactId === undefined ? undefined : String(contactId), contactId }
}

/** Shows the message as a recipient receives it, as HTML and as text. */
export async function showEmailPreview(request: SurveyRequest): Promise<PageResult> {
  const { context } = request
  const email = await findSurveyEmail(request)
  const recipient = readRecipient(request, email)
  const message = await previewEmail(context, email.id, recipient)
  const { contacts } = await listContacts(context, { email: email.id }, { offset: 0, limit: MAX_RECIPIENTS })
  const path = `${emailPath(request, email)}preview/`
  const people = [
    { value: '', label: t('Sample recipient') },
    ...Object.keys(email.translations).map((code) => ({
      value: code,
      label: t('Sample recipient, language {code}', { code }),
    })),
    ...contacts.map(({ id, name, email: address }) => ({ value: id, label: `${name} <${address}>` })),
  ]
  return request.render({
    title: t('Preview'),
    beforeHeading: backView(request, email),
    content: html`
      ${
        people.length > 1 &&
        html`<form method="get" action="${path}" class="recipient-choice">
          ${select({
            name: 'contact',
            label: t('Preview as'),
            value: recipient.value ?? '',
            options: people,
          })}
          <button class="small">Show</button>
        </form>`
      }
      <section class="card" aria-labelledby="head">
        <h2 id="head">${message.subject}</h2>
        <dl class="facts">
          <dt>From</dt>
          <dd>${email.sender}</dd>
          <dt>To</dt>
          <dd>${message.to.name} &lt;${message.to.address}&gt;</dd>
        </dl>
      </section>
      <section class="card" aria-labelledby="html">
        <h2 id="html">HTML version</h2>
        <iframe class="message-frame" title="HTML version of the message" sandbox
            src="${pathWith(`${path}html/`, { contact: recipient.value })}"></iframe>
      </section>
      <section class="card" aria-labelledby="plain">
        <h2 id="plain">Plain text version</h2>
        <pre class="plain-text" tabindex="0" role="region"
            aria-label="Plain text version of the message">${message.text}</pre>
      </section>`,
  })
}

/**
 * Serves the HTML version of the message for the preview frame. The Content Security Policy blocks scripts in the
 * message, and allows only pages of this server to show the message in a frame.
 */
export async function showEmailHtml(request: SurveyRequest): Promise<PageResult> {
  const { ctx, context } = request
  const email = await findSurveyEmail(request)
  const message = await previewEmail(context, email.id, readRecipient(request, email))
  ctx.set('X-Frame-Options', 'SAMEORIGIN')
  setContentSecurityPolicy(ctx, {
    'default-src': ["'none'"],
    'style-src': ["'unsafe-inline'"],
    'img-src': ['https:', 'data:'],
    'form-action': ["'none'"],
    'frame-ancestors': ["'self'"],
    sandbox: [],
  })
  const images = message.images ?? []
  const shown = images.reduce(
    (markup, { cid, type, bytes }) =>
      markup.replaceAll(`cid:${cid}`, `data:${type};base64,${bytes.toString('base64')}`),
    message.html ?? '',
  )
  return { file: shown, type: 'text/html; charset=utf-8' }
}
