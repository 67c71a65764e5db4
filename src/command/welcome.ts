import { Account } from '../domain/account/account.ts'
import type { PublicContext } from '../domain/context.ts'
import { createDemo } from './demo.ts'

/** Responses the demonstration begins with. */
const DEMO_RESPONSES = 40

/**
 * Prints how to begin. On an empty database it creates a demonstration account first and prints its credentials with
 * three commands to paste; later, when those lines have scrolled away, it prints where to sign in.
 */
export async function welcome(context: PublicContext): Promise<void> {
  if (await context.em.count(Account)) {
    console.log(`Sign in: ${context.services.baseUrl}/accounts/login/`)
    return
  }
  const { actor, password, apiKey, surveyId } = await createDemo(context, 'demo', DEMO_RESPONSES)
  const api = `${context.services.baseUrl}/api/v3/surveys/`
  const sign = `-u ${apiKey}:${password}`
  console.log(`
A demonstration account was made. These secrets are shown once:

  user name  ${actor.username}
  password   ${password}
  API key    ${apiKey}

Try:

  curl ${sign} ${api}
  curl ${sign} "${api}${surveyId}/responses/?include_labels=true&page_size=2"
  curl ${sign} -d drink=Tea -d words=Hello ${api}${surveyId}/responses/

Sign in: ${context.services.baseUrl}/accounts/login/
The survey as respondents see it: ${context.services.baseUrl}/surveys/${actor.username}/how-do-you-take-your-tea/
The contract, readable: ${context.services.baseUrl}/docs/v3/
`)
}
