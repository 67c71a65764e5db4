import { type ApplicationDraft, type ApplicationKind, registerApplication } from '../../../domain/oauth/applications.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, fieldErrorsOf } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { FIELDS, fieldsView, kindView, parseApplication, parseKind } from './form.ts'
import { applicationPage, linkToApplications, ROOT } from './show.ts'

const EMPTY: ApplicationDraft = { name: '', homepage: '', callback: '', description: '' }

export const showNewApplication = async (request: SignedInRequest): Promise<PageResult> =>
  registrationPage(request, EMPTY, 'confidential')

function registrationPage(
  request: SignedInRequest,
  draft: ApplicationDraft,
  kind: ApplicationKind,
  rejected?: FormErrors,
): PageResult {
  return request.render(
    {
      title: t('Register application'),
      beforeHeading: linkToApplications(),
      content: html`<section class="card">${alert(rejected?.general)}<form method="post" action="${ROOT}">${csrfField(request.csrf)}
${fieldsView(draft, rejected?.errors ?? new Map())}
${kindView(kind)}
<button class="primary">Register</button></form></section>`,
    },
    rejected ? 422 : 200,
  )
}

/**
 * Registers an application and shows its secret in the reply. No later page can show the secret, because only its hash
 * is stored.
 */
export async function submitNewApplication(request: SignedInRequest): Promise<PageResult> {
  const draft = parseApplication(request.form)
  const kind = parseKind(request.form)
  try {
    const { application, secret } = await request.write((context) => registerApplication(context, draft, kind))
    return applicationPage(request, application, { secret })
  } catch (error) {
    return registrationPage(request, draft, kind, fieldErrorsOf(request.toProblem(error), FIELDS))
  }
}
