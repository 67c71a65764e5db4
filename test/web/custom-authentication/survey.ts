import type { SurveySettings } from '../../../src/domain/survey/settings.ts'
import type { IdentityProvider } from '../../support/identity.ts'
import { addSurvey, pageOf, text } from '../../support/surveys.ts'
import type { World } from '../../support/world.ts'

/** Creates a survey with two pages whose respondents sign in at an identity provider. */
export async function surveyWithSignIn(
  world: World,
  identity: Pick<IdentityProvider, 'endpoint' | 'clientSecret' | 'redirectUris'>,
  settings: Partial<SurveySettings> = {},
) {
  const owner = await world.person()
  const structure = { title: 'Members', form: [pageOf(text('a', { required: true })), pageOf(text('b'))] }
  const { survey, path } = await addSurvey(owner, structure, settings)
  const reply = await owner.put(`/api/v3/surveys/${survey.id}/settings/`, {
    json: {
      custom_authentication: {
        enabled: true,
        endpoint_uri: identity.endpoint,
        client_secret: identity.clientSecret,
      },
    },
  })
  if (reply.status !== 200) throw new Error(reply.text)
  identity.redirectUris.push(`${world.base}${path}sign-in/`)
  return { owner, survey, path }
}
