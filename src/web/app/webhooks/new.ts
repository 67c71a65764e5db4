import { listCollectors } from '../../../domain/collector/queries.ts'
import { rotateSecret, subscribe } from '../../../domain/webhook/commands.ts'
import { eventTypes, type Webhook } from '../../../domain/webhook/webhook.ts'
import { type BodyFormat, bodyFormats } from '../../../domain/webhook-form.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, copyButton, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { eventLabels, findScopedWebhook, formatLabels, surveyEvents, type WebhookScope } from './scope.ts'

const bodyFormatNames = Object.keys(bodyFormats) as BodyFormat[]

export const showNewWebhook = (request: SignedInRequest, scope: WebhookScope): Promise<PageResult> =>
  newWebhookPage(request, scope)

async function newWebhookPage(
  request: SignedInRequest,
  { path, survey }: WebhookScope,
  rejected?: FormErrors,
): Promise<PageResult> {
  const { context, csrf, form } = request
  const errors = rejected?.errors
  const fieldValue = (name: string) => formValue(form, name) ?? ''
  const collectors = survey ? (await listCollectors(context, survey.id)).collectors : []
  return request.render({
    title: t('Add webhook'),
    beforeHeading: backLink(path, t('All webhooks')),
    content: html`<section class="card" aria-label="Webhook">
      ${alert(rejected?.general)}
      <form method="post" action="${path}new/">
        ${csrfField(csrf)}
        ${field({
          name: 'subscription_url',
          label: t('URL'),
          type: 'url',
          value: fieldValue('subscription_url'),
          hint: t('Starts with https:// or http://. Each webhook of your account needs its own URL.'),
          required: true,
          errors,
        })}
        ${select({
          name: 'event',
          label: t('Event'),
          value: fieldValue('event'),
          options: (survey ? surveyEvents : eventTypes).map((event) => ({
            value: event,
            label: survey ? eventLabels()[event] : `${eventLabels()[event]} (${event})`,
          })),
          errors,
        })}
        ${
          collectors.length > 1 &&
          select({
            name: 'collector',
            label: t('Collector'),
            value: fieldValue('collector'),
            hint: t('Only for the event “Response completed”.'),
            options: [
              { value: '', label: t('Any') },
              ...collectors.map(({ id, name }) => ({ value: id, label: name })),
            ],
            errors,
          })
        }
        ${select({
          name: 'format',
          label: t('Message format'),
          value: fieldValue('format'),
          hint: t('Both formats have the same fields. Standard Webhooks libraries parse JSON.'),
          options: bodyFormatNames.map((format) => ({ value: format, label: formatLabels()[format] })),
          errors,
        })}
        <div class="actions">
          <button class="primary">Add webhook</button>
          <a class="button plain" href="${path}">Cancel</a>
        </div>
      </form>
    </section>`,
  })
}

/**
 * Creates a webhook. The reply to the submitted form shows the signing secret instead of redirecting, because no later
 * page can show the secret.
 */
export async function saveNewWebhook(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { form } = request
  const draft = {
    subscriptionUrl: (formValue(form, 'subscription_url') ?? '').trim(),
    event: formValue(form, 'event') ?? '',
    survey: scope.survey?.id,
    collector: parseId(formValue(form, 'collector')) || undefined,
    format: bodyFormatNames.find((format) => format === formValue(form, 'format')),
  }
  return formPage(request, {
    fields: ['subscription_url', 'event', 'collector'],
    act: (context) => subscribe(context, draft),
    view: (rejected) => newWebhookPage(request, scope, rejected),
    done: ({ webhook, secret }) => secretPage(request, scope, webhook, secret, t('Webhook added.')),
  })
}

/** Shows the signing secret of a webhook. No later page can show it. */
const secretPage = (
  request: SignedInRequest,
  { path }: WebhookScope,
  { id, subscriptionUrl }: Webhook,
  secret: string,
  done: string,
): PageResult =>
  request.render({
    title: t('Signing secret'),
    scripts: ['copy.js'],
    content: html`
      <section class="notice" role="status">
        <p>${done} Copy the signing secret now and store it securely. You cannot see it again later.</p>
        <p class="copyable">
          <code class="secret" id="secret">${secret}</code> ${copyButton('secret', t('Copy the signing secret'))}
        </p>
      </section>
      <section class="card" aria-labelledby="check">
        <h2 id="check">Verify messages</h2>
        <p>
          Every message to <span class="address">${subscriptionUrl}</span> has the
          headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code> of
          the <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> specification. To verify a message, use
          this secret with a Standard Webhooks library.
        </p>
        <div class="actions"><a class="button" href="${path}${id}/">Go to webhook</a></div>
      </section>`,
  })

/** Asks for confirmation before the signing secret is replaced. */
export async function confirmRotateSecret(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id, subscriptionUrl } = await findScopedWebhook(request, scope)
  const path = `${scope.path}${id}/`
  return confirmPage(request, {
    title: t('Replace signing secret?'),
    beforeHeading: backLink(path, t('Webhook')),
    text: html`
      Messages to <span class="address">${subscriptionUrl}</span> are signed with both the new and the old secret for 24
      hours, then with the new one only. Update your system within 24 hours. You cannot restore the old secret.`,
    button: t('Replace secret'),
    cancel: { label: t('Cancel'), path },
  })
}

/** Replaces the signing secret, and shows the new one. */
export async function rotateSecretPage(request: SignedInRequest, scope: WebhookScope): Promise<PageResult> {
  const { id } = await findScopedWebhook(request, scope)
  const { webhook, secret } = await request.write((context) => rotateSecret(context, id))
  return secretPage(request, scope, webhook, secret, t('Secret replaced. The old secret also works for 24 hours.'))
}
