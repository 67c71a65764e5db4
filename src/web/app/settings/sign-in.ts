import { listProviderFailures, type ProviderFailure } from '../../../domain/identity/failure.ts'
import type { IdentityError, SignInStep } from '../../../domain/identity/identity-provider.ts'
import { type StepResult, testConnection } from '../../../domain/identity/test-connection.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'

/** Shows the last failures of the identity provider of a survey. */
export const showProviderFailures = (request: SurveyRequest): Promise<PageResult> => signInPage(request)

/** Tests the connection with the identity provider, and shows the results. */
export const testProvider = async (request: SurveyRequest): Promise<PageResult> =>
  signInPage(request, await testConnection(request.context, request.survey.id))

async function signInPage(request: SurveyRequest, results?: readonly StepResult[]): Promise<PageResult> {
  const { context, survey, root, csrf } = request
  const failures = await listProviderFailures(context, survey.id)
  return request.render({
    title: t('Sign-in with your identity provider'),
    beforeHeading: backLink(`${root}edit/settings/`, t('Settings')),
    content: html`
      <section class="card" aria-labelledby="test">
        <h2 id="test">Test the connection</h2>
        ${
          results
            ? resultsView(results)
            : html`<p class="soft">
              Canvass sends a wrong code and an unknown access token to your identity provider, and says what the
              replies mean. No one is signed in.
            </p>`
        }
        <form method="post" action="${root}edit/settings/sign-in/">
          ${csrfField(csrf)}
          <button class="primary">Test the connection</button>
        </form>
      </section>
      <section class="card" aria-labelledby="failures">
        <h2 id="failures">Last failures</h2>
        ${
          failures.length === 0
            ? html`<p class="soft">No sign-in has failed in the last 30 days.</p>`
            : html`<ul class="rows">${failures.map(failureView)}</ul>`
        }
      </section>`,
  })
}

const STEPS: () => Readonly<Record<SignInStep, string>> = perLanguage(() => ({
  settings: t('Settings'),
  authorization: t('Sign-in page'),
  token: t('Token'),
  callback: t('Permission'),
}))

const stepView = (step: SignInStep): Part =>
  step === 'settings' ? STEPS()[step] : html`${STEPS()[step]} (<code>${step}</code>)`

function resultsView(results: readonly StepResult[]): Html {
  if (results.length === 0) return html`<p class="alert" role="alert">Enter and save the provider URL first.</p>`
  return html`<ul class="rows" role="status">
    ${results.map(
      ({ step, error }) =>
        html`<li>
          <div class="grow">
            <strong>${stepView(step)}</strong>: ${error ? t('failed') : t('works')}
            ${error && causeView(error)}
          </div>
        </li>`,
    )}
  </ul>`
}

const failureView = ({ lastAt, count, number, step, ...failure }: ProviderFailure): Html =>
  html`<li>
    <div class="grow">
      ${timeTag(lastAt)}: <strong>${stepView(step)}</strong>
      ${causeView({ step, ...failure })}
      <p class="soft">${pluralize(count, 'time')}. Respondents see the number ${String(number)}.</p>
    </div>
  </li>`

/** Renders what failed, as the provider and the service say it, and what to do. */
function causeView(failure: Failure): Html {
  const { status, code, description } = failure
  const reason = 'reason' in failure ? failure.reason : failure.message
  const facts = [status && `HTTP ${status}`, code].filter(Boolean).join(', ')
  return html`
    <p lang="en">${reason}${facts && ` (${facts})`}${description && html`: <q>${description}</q>`}</p>
    <p>${hintFor(failure)}</p>`
}

type Failure = Pick<ProviderFailure, 'step' | 'status' | 'code' | 'description'> &
  (Pick<ProviderFailure, 'reason'> | Pick<IdentityError, 'message'>)

/** Returns what the owner can do, by the error code and the status of the reply. */
function hintFor({ step, status = 0, code }: Failure): string {
  switch (code) {
    case 'invalid_client':
      return t(
        'The provider rejects the client ID or the client secret. Enter the secret again, and let the client authenticate with HTTP Basic (client_secret_basic).',
      )
    case 'unauthorized_client':
    case 'unsupported_grant_type':
    case 'unsupported_response_type':
      return t('Allow the authorization code flow for this client at your provider.')
    case 'invalid_scope':
    case 'insufficient_scope':
      return t('Enter the scope that your provider requires, such as openid, and allow it for this client.')
    case 'access_denied':
      return t(
        'The respondent or the provider refused. If it is everyone, the provider may require a scope, such as openid.',
      )
    case 'invalid_grant':
      return t(
        'The provider rejects the code. Register exactly the redirect URI that the settings show, with its slash.',
      )
    case 'invalid_request':
      return t(
        'The provider rejects the request. Register exactly the redirect URI that the settings show, with its slash.',
      )
  }
  if (status === 404 || status === 405)
    return t('Check the provider URL: there is nothing at this address, or it does not accept the request.')
  if (status >= 300 && status < 400)
    return t('The provider redirects. Canvass does not follow redirects here: enter the address to which it redirects.')
  if (status === 401 || status === 403)
    return t('The provider refuses access to this address. The scope may be missing, such as openid.')
  if (status >= 500) return t('The provider failed. Its own log says why.')
  if (step === 'settings') return t('Correct the settings and save them.')
  return t(
    'Check that the server of Canvass reaches this address, that it replies as the guide describes, and that it refuses unknown codes and access tokens.',
  )
}
