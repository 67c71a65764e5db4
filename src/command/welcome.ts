import { Account } from '../domain/account/account.ts'
import type { PublicContext } from '../domain/context.ts'
import { createDemo } from './demo.ts'

/** Responses the demonstration begins with. */
const RESPONSES = 40

/** On an empty database: a demonstration account, its credentials, and three lines that work when pasted. Else nothing. */
export async function welcome(context: PublicContext): Promise<void> {
  if (await context.em.count(Account)) return
  const { actor, password, apiKey, surveyId } = await createDemo(context, 'demo', RESPONSES)
  const api = `${context.site.baseUrl}/api/v3/surveys/`
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

Sign in: ${context.site.baseUrl}/accounts/login/
The survey as respondents see it: ${context.site.baseUrl}/surveys/${actor.username}/how-do-you-take-your-tea/
The contract, readable: ${context.site.baseUrl}/docs/v3/
`)
}
