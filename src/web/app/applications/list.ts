import { listApplications } from '../../../domain/oauth/applications.ts'
import { html } from '../../../lib/html.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import { emptyState } from '../../layout/empty-state.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { ROOT } from './show.ts'

/** Lists the applications that the user registered. */
export async function showApplications(request: SignedInRequest): Promise<PageResult> {
  const applications = await listApplications(request.context)
  return request.render({
    title: t('Your applications'),
    beforeHeading: backLink('/account/keys/', t('API keys')),
    action: applications.length > 0 && html`<a class="button" href="${ROOT}new/">Register application</a>`,
    content: html`<p class="soft">Applications use OAuth 2.0 to act for other users. Each user signs in on this server and grants access, so the application does not receive a password. For your own account, use <a href="/account/keys/">an API key</a>. See <a href="/docs/v3/">the API reference</a>.</p>
${
  applications.length === 0
    ? emptyState(
        'keys',
        t('No applications yet'),
        t('Register an application to get its client ID and client secret.'),
        { path: `${ROOT}new/`, label: t('Register application') },
      )
    : html`<ul class="cards">${applications.map(
        ({ id, name, homepage, clientId }) =>
          html`<li class="card"><div class="line"><h2><a href="${ROOT}${id}/">${name}</a></h2></div><p class="soft address">${homepage}</p><p class="soft">Client ID <code>${clientId}</code></p></li>`,
      )}</ul>`
}`,
  })
}
