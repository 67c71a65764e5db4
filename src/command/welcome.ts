import { Account } from '../domain/account/account.ts'
import type { PublicContext } from '../domain/context.ts'
import { createDemo } from './demo.ts'

/** Number of responses of the demonstration survey. */
const DEMO_RESPONSES = 40

/**
 * Prints how to start. For an empty database it first creates a demonstration account and prints its credentials and
 * three commands to copy; otherwise it prints the address of the login page.
 */
export async function welcome(context: PublicContext): Promise<void> {
  if (await context.em.count(Account)) {
    console.log(`Sign in: ${context.services.baseUrl}/accounts/login/`)
    return
  }
  const { actor, password, apiKey, surveyId } = await createDemo(context, 'demo', DEMO_RESPONSES)
  const api = `${context.services.baseUrl}/api/v3/surveys/`
  const credentials = `-u ${apiKey}:${password}`
  console.log(`
A demonstration account was created. Its secrets are shown only once:

  username   ${actor.username}
  password   ${password}
  API key    ${apiKey}

Try:

  curl ${credentials} ${api}
  curl ${credentials} "${api}${surveyId}/responses/?include_labels=true&page_size=2"
  curl ${credentials} -d drink=Tea -d words=Hello ${api}${surveyId}/responses/

Sign in: ${context.services.baseUrl}/accounts/login/
Survey page for respondents: ${context.services.baseUrl}/surveys/${actor.username}/how-do-you-take-your-tea/
API reference: ${context.services.baseUrl}/docs/v3/
`)
}
