import { chartPart, daysPart, numbersPart } from '../../report/downloads.ts'
import { daysPage, spreadPage } from '../../report/standalone.ts'
import { textsPage } from '../../report/texts.ts'
import type { AddPage } from '../surveys/index.ts'
import { lookAt } from './display-options.ts'
import { askToDelete, makeReport, removeReport, saveReport, showEdit, showNew } from './form.ts'
import { askToStopSharing, saveSharing, showReports } from './list.ts'
import { showReport } from './show.ts'

/** The reports on a survey; `all` in place of a report's number is the view that shows everything. */
export function routeReports(add: AddPage): void {
  const one = 'reports/:report/'
  add('get', 'reports/', 'showReports', showReports)
  add('post', 'reports/sharing/', 'saveSharing', saveSharing)
  add('get', 'reports/sharing/stop/', 'askToStopSharing', askToStopSharing)
  add('get', 'reports/new/', 'showNewReport', showNew)
  add('post', 'reports/new/', 'makeReport', makeReport)
  add('get', one, 'showReport', showReport)
  add('get', `${one}edit/`, 'showReportEdit', showEdit)
  add('post', `${one}edit/`, 'saveReport', saveReport)
  add('get', `${one}delete/`, 'askToDeleteReport', askToDelete)
  add('post', `${one}delete/`, 'removeReport', removeReport)
  add('get', `${one}numbers.csv`, 'reportNumbers', async (request) => numbersPart(await lookAt(request)))
  add('get', `${one}days/`, 'showDays', async (request) => request.render(await daysPage(await lookAt(request))))
  add('get', `${one}days/:form`, 'reportDays', async (request) => daysPart(await lookAt(request), request.params.form!))
  add('get', `${one}charts/:question/:form`, 'reportChart', async (request) =>
    chartPart(await lookAt(request), request.params.question!, request.params.form!),
  )
  add('get', `${one}spread/:question/`, 'showSpread', async (request) =>
    request.render(await spreadPage(await lookAt(request), request.params.question!)),
  )
  add('get', `${one}texts/:key/`, 'reportTexts', async (request) =>
    request.render(await textsPage(await lookAt(request), request.params.key!, request.query)),
  )
}
