import { FILE } from '../../session.ts'
import type { AddPage } from '../surveys/index.ts'
import { askToDeleteOne, deleteOne, deleteSeveral, setStatus } from './change.ts'
import { downloadCsv } from './csv.ts'
import { showDownload } from './download.ts'
import { composeList } from './filter-form.ts'
import { showImport, takeImport } from './import.ts'
import { showResponses } from './list.ts'
import { countNewResponses } from './new-count.ts'
import {
  askToDeleteFilter,
  deleteResponseFilter,
  renameResponseFilter,
  saveResponseFilter,
  showFilters,
} from './saved-filters.ts'
import { showResponse } from './show.ts'

/** The pages about responses; those with a name of their own come before the one of a single response. */
export function routeResponses(add: AddPage): void {
  add('get', 'responses/', 'showResponses', showResponses)
  add('get', 'responses/compose/', 'composeResponseList', composeList)
  add('get', 'responses/new/', 'countNewResponses', countNewResponses)
  add('get', 'responses/filters/', 'showResponseFilters', showFilters)
  add('post', 'responses/filters/', 'saveResponseFilter', saveResponseFilter)
  add('post', 'responses/filters/rename/', 'renameResponseFilter', renameResponseFilter)
  add('get', 'responses/filters/delete/', 'askToDeleteFilter', askToDeleteFilter)
  add('post', 'responses/filters/delete/', 'deleteResponseFilter', deleteResponseFilter)
  add('get', 'responses/download/', 'showResponseDownload', showDownload)
  add('get', 'responses/csv/', 'downloadResponses', downloadCsv)
  add('get', 'responses/import/', 'showResponseImport', showImport)
  add('post', 'responses/import/', 'importResponseTable', takeImport, FILE)
  add('post', 'responses/delete/', 'deleteChosenResponses', deleteSeveral)
  add('get', 'responses/:response/', 'showResponse', showResponse)
  add('post', 'responses/:response/status/', 'setResponseStatus', setStatus)
  add('get', 'responses/:response/delete/', 'askToDeleteResponse', askToDeleteOne)
  add('post', 'responses/:response/delete/', 'deleteShownResponse', deleteOne)
}
