import { listFailedJobs } from '../../../domain/administration/jobs.ts'
import {
  describeMailQueue,
  MAX_COUNTED_FAILURES,
  MAX_COUNTED_MESSAGES,
  sendEmailAgain,
  type TroubledEmail,
  testMail,
} from '../../../domain/administration/mail.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize, timeTag } from '../../layout/format.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { ADMINISTRATION_PATH } from './frame.ts'
import { failedView } from './jobs.ts'

const MAIL_PATH = `${ADMINISTRATION_PATH}mail/`

export const showMail = (request: SignedInRequest): Promise<PageResult> => mailPage(request)

/** Shows the mail server, the queue, and what failed. @param failure why the mail server refused a test message */
async function mailPage(request: SignedInRequest, rejected?: FormErrors, failure?: string): Promise<PageResult> {
  const { context, csrf } = request
  const { waiting, troubled } = await describeMailQueue(context)
  const failed = await listFailedJobs(context, ['send-system-email', 'send-notification', 'send-test-email'])
  return request.render({
    title: t('Mail'),
    content: html`
      ${serverView(request, rejected, failure)}
      <section class="card" aria-labelledby="queue">
        <h2 id="queue">Invitations</h2>
        <p>
          ${
            waiting === MAX_COUNTED_MESSAGES
              ? t('At least {number} messages wait.', { number: formatNumber(waiting) })
              : t('{messages} wait.', { messages: pluralize(waiting, 'message') })
          }
        </p>
        ${
          troubled.length === 0
            ? html`<p class="soft">No message of the latest 200 emails has failed.</p>`
            : html`<ul class="rows sides">${troubled.map((email) => troubledView(email, csrf))}</ul>`
        }
      </section>
      ${failedView(failed, csrf)}`,
  })
}

function serverView(
  { context, csrf, form }: SignedInRequest,
  rejected: FormErrors | undefined,
  failure: string | undefined,
): Html {
  const { hasMailServer, mailFrom, mailLimits, bounceAddress } = context.services
  const limits = [
    mailLimits.minute > 0 && t('{number} a minute', { number: formatNumber(mailLimits.minute) }),
    mailLimits.hour > 0 && t('{number} an hour', { number: formatNumber(mailLimits.hour) }),
  ].filter(Boolean)
  return html`<section class="card" aria-labelledby="server">
    <h2 id="server">Mail server</h2>
    ${
      !hasMailServer &&
      html`<p class="notice">No mail server is set up (SMTP_URL): messages are stored on the server and not sent.</p>`
    }
    <dl class="facts">
      <dt>Sender</dt>
      <dd>${mailFrom.name} &lt;${mailFrom.address}&gt;</dd>
      <dt>Returned mail</dt>
      <dd>${bounceAddress ?? t('goes to the senders of invitations')}</dd>
      <dt>Limit</dt>
      <dd>${limits.length > 0 ? limits.join(', ') : t('none')}</dd>
    </dl>
    <h3>Send a test message</h3>
    ${
      failure !== undefined &&
      html`<div class="alert" role="alert"><p>The message was not sent.</p><p lang="en">${failure}</p></div>`
    }
    ${alert(rejected?.general)}
    <form method="post" action="${MAIL_PATH}test/">
      ${csrfField(csrf)}
      ${field({
        name: 'email',
        label: t('Email address'),
        type: 'email',
        value: formValue(form, 'email') ?? context.actor.email,
        required: true,
        errors: rejected?.errors,
      })}
      <button>Send test message</button>
    </form>
  </section>`
}

const troubledView = ({ id, owner, sentAt, failed, reason, hold }: TroubledEmail, csrf: string): Part =>
  html`<li>
    <div class="grow">
      <strong>${
        failed > MAX_COUNTED_FAILURES
          ? t('More than {number} messages failed', { number: formatNumber(MAX_COUNTED_FAILURES) })
          : failed > 0
            ? t('{messages} failed', { messages: pluralize(failed, 'message') })
            : t('Stopped')
      }</strong>
      <p class="soft">Email ${id} of ${owner}${sentAt && html`, ${timeTag(sentAt)}`}</p>
      ${hold && html`<p class="reason" lang="en">${hold.reply}</p>`}
      ${reason && html`<p class="reason" lang="en">${reason}</p>`}
    </div>
    <form method="post" action="${MAIL_PATH}${id}/">
      ${csrfField(csrf)}
      <button class="small" aria-label="Send again: email ${id}">Send again</button>
    </form>
  </li>`

/** Sends a test message, and says what the mail server replied. */
export async function submitMailTest(request: SignedInRequest): Promise<PageResult> {
  const email = (formValue(request.form, 'email') ?? '').trim()
  const { hasMailServer } = request.context.services
  return formPage(request, {
    fields: ['email'],
    act: (context) => testMail(context, email),
    view: (rejected) => mailPage(request, rejected),
    done: (failure) =>
      failure !== undefined
        ? mailPage(request, undefined, failure)
        : {
            redirect: MAIL_PATH,
            flash: hasMailServer
              ? t('The mail server accepted the message to {email}. Look for it in the mailbox, also under spam.', {
                  email,
                })
              : t('The message to {email} is stored on the server and was not sent.', { email }),
          },
  })
}

export async function submitEmailAgain(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.email)
  const count = await request.write((context) => sendEmailAgain(context, id))
  request.flash(t('{messages} queued again.', { messages: pluralize(count, 'message') }))
  return { redirect: MAIL_PATH }
}
