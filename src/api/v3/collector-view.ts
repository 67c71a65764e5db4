import type { CollectorSummary } from '../../domain/collector/queries.ts'
import type { Services } from '../../domain/services.ts'
import { defaultSettings, type SurveySettings } from '../../domain/survey/settings.ts'
import { surveyUrl } from '../../domain/survey-address.ts'
import type { Schemas } from './operation.ts'
import { settingsView } from './settings-view.ts'
import { collectorUri, surveyUri } from './urls.ts'
import { liveView } from './views.ts'

/** Returns the name that a stored setting has in the API. */
const publicName = (member: string) => (member === 'password_hash' ? 'password' : member)

/** Returns the settings that differ from the settings of the survey, without secrets. */
function differenceView(difference: Partial<SurveySettings>): Schemas['Collector']['settings'] {
  const whole = settingsView({ live: true, settings: { ...defaultSettings, ...difference } })
  const members = new Set(Object.keys(difference).map(publicName))
  return Object.fromEntries(Object.entries(whole).filter(([member]) => members.has(member)))
}

export const collectorView = (services: Services, collector: CollectorSummary): Schemas['Collector'] => ({
  id: collector.id,
  name: collector.name,
  live: liveView(collector.live),
  survey: collector.survey.id,
  survey_uri: surveyUri(services, collector.survey.id),
  collector_uri: collectorUri(services, collector.id),
  deploy_url: surveyUrl(services.baseUrl, collector.survey, collector.isDefault ? undefined : collector.id),
  responses: collector.responses,
  is_default: collector.isDefault,
  settings: differenceView(collector.settings),
})
