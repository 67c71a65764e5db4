import type { Services } from '../../domain/services.ts'
import type { NamedQuery } from '../../domain/survey/filters.ts'
import type { Schemas } from './operation.ts'
import { responsesUri } from './urls.ts'

export const filterView = (services: Services, surveyId: number, { name, query }: NamedQuery): Schemas['Filter'] => ({
  name,
  query,
  responses_uri: `${responsesUri(services, surveyId)}?filter=${encodeURIComponent(name)}`,
})
