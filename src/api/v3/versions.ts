import type { Services } from '../../domain/services.ts'
import * as versions from '../../domain/survey/versions.ts'
import { pageReply } from '../paging.ts'
import type { Operation, Schemas } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri, userUri, versionUri } from './urls.ts'

const summaryView = (services: Services, version: versions.VersionSummary): Schemas['VersionSummary'] => ({
  version: version.version,
  created_at: version.createdAt.toISOString(),
  creator: userUri(services, version.creator),
  is_current: version.isCurrent,
  version_uri: versionUri(services, version.survey, version.version),
})

const versionView = (services: Services, version: versions.VersionDetails): Schemas['Version'] => ({
  ...summaryView(services, version),
  structure: version.structure,
})

export const listVersions: Operation<'listVersions'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, versions: items } = await versions.listVersions(context, path.survey_id, page)
  const results = items.map((version) => summaryView(context.services, version))
  return pageReply(`${surveyUri(context.services, path.survey_id)}versions/`, search, page, total, results)
}

export const restoreVersion: Operation<'restoreVersion'> = async ({ context, path, body }) => {
  const restored = await versions.restoreVersion(context, path.survey_id, body.restore)
  return { status: 201, body: versionView(context.services, restored) }
}

export const getVersion: Operation<'getVersion'> = async ({ context, path }) => {
  const version = await versions.findVersion(context, path.survey_id, path.version)
  return { status: 200, body: versionView(context.services, version) }
}

export const diffVersions: Operation<'diffVersions'> = async ({ context, path: { survey_id, version, other } }) => {
  const diff = await versions.diffVersions(context, survey_id, version, other)
  return { status: 200, body: { from: version, to: other, ...diff } }
}
