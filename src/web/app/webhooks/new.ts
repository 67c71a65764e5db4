import { listCollectors } from '../../../domain/collector/queries.ts'
import { subscribe } from '../../../domain/webhook/commands.ts'
import { eventTypes } from '../../../domain/webhook/webhook.ts'
import { type BodyFormat, bodyFormats } from '../../../domain/webhook-form.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field, fieldErrorsOf, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { eventLabels, formatLabels, surveyEvents, type WebhookScope } from './scope.ts'
import { secretPage } from './secret.ts'

const bodyFormatNames = Object.keys(bodyFormats) as BodyFormat[]

export const showNewWebhook = (request: SignedInRequest, scope: WebhookScope): Promise<PageResult> =>
  newWebhookPage(request, scope)

async function newWebhookPage(
  request: SignedInRequest,
  { path, survey }: WebhookScope,
  rejected?: FormErrors,
): Promise<PageResult> {
  const { context, csrf, form } = request
  const errors: FieldErrorTexts = rejected?.errors ?? new Map()
  const fieldValue = (name: string) => formValue(form, name) ?? ''
  const collectors = survey ? (await listCollectors(context, survey.id)).collectors : []
  return request.render(
    {
      title: t('Add webhook'),
      beforeHeading: backLink(path, t('All webhooks')),
      content: html`<section class="card" aria-label="Webhook">${alert(rejected?.general)}<form method="post" action="${path}new/">${csrfField(csrf)}
${field({ name: 'subscription_url', label: t('URL'), type: 'url', value: fieldValue('subscription_url'), hint: t('Starts with https:// or http://. Each webhook of your account needs its own URL.'), required: true, errors })}
${select({ name: 'event', label: t('Event'), value: fieldValue('event'), options: (survey ? surveyEvents : eventTypes).map((event) => ({ value: event, label: survey ? eventLabels()[event] : `${eventLabels()[event]} (${event})` })), errors })}
${
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: t('Collector'),
    value: fieldValue('collector'),
    hint: t('Only for the event “Response completed”.'),
    options: [{ value: '', label: t('Any') }, ...collectors.map(({ id, name }) => ({ value: id, label: name }))],
    errors,
  })
}${select({ name: 'format', label: t('Message format'), value: fieldValue('format'), hint: t('Both formats have the same fields. Standard Webhooks libraries parse JSON.'), options: bodyFormatNames.map((format) => ({ value: format, label: formatLabels()[format] })), errors })}<div class="actions"><button class="primary">Add webhook</button><a class="button plain" href="${path}">Cancel</a></div></form></section>`,
    },
    rejected ? 422 : 200,
  )
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
  try {
    const { webhook, secret } = await request.write((context) => subscribe(context, draft))
    return secretPage(request, scope, webhook, secret, t('Webhook added.'))
  } catch (error) {
    const problem = request.toProblem(error)
    return newWebhookPage(request, scope, fieldErrorsOf(problem, ['subscription_url', 'event', 'collector']))
  }
}
