import type Router from '@koa/router'
import type { PageResult, PageServices } from '../../page.ts'
import { FILE, type SignedInRequest, signedIn } from '../../session.ts'
import {
  addToList,
  askToDropList,
  changeList,
  dropList,
  putIntoList,
  showList,
  takeFromList,
} from '../contact-lists/edit.ts'
import { makeList, showLists } from '../contact-lists/list.ts'
import { askToDelete, deleteOne, erase } from './delete.ts'
import { addContact, changeContact, showContact, showNewContact } from './edit.ts'
import { exportBook } from './export.ts'
import { askForFile, importFile } from './import.ts'
import { showContacts } from './list.ts'

/** The address book of an account. */
export function routeContacts(router: Router, deps: PageServices): void {
  const add = (
    method: 'get' | 'post',
    path: string,
    operation: string,
    page: (request: SignedInRequest) => Promise<PageResult>,
    largest?: number,
  ) => router[method](`/account/contacts/${path}`, signedIn(deps, operation, 'contacts', page, largest))
  add('get', '', 'showContacts', showContacts)
  add('post', '', 'putIntoList', putIntoList)
  add('get', 'new/', 'showNewContact', showNewContact)
  add('post', 'new/', 'addContact', addContact)
  add('get', 'import/', 'askForFile', askForFile)
  add('post', 'import/', 'importFile', importFile, FILE)
  add('get', 'export/', 'exportBook', exportBook)
  add('get', 'lists/', 'showLists', showLists)
  add('post', 'lists/', 'makeList', makeList)
  add('get', 'lists/:list/', 'showList', showList)
  add('post', 'lists/:list/', 'changeList', changeList)
  add('post', 'lists/:list/add/', 'addToList', addToList)
  add('post', 'lists/:list/remove/', 'takeFromList', takeFromList)
  add('get', 'lists/:list/delete/', 'askToDropList', askToDropList)
  add('post', 'lists/:list/delete/', 'dropList', dropList)
  add('get', ':contact/', 'showContact', showContact)
  add('post', ':contact/', 'changeContact', changeContact)
  add('get', ':contact/delete/', 'askToDeleteContact', askToDelete)
  add('post', ':contact/delete/', 'deleteOneContact', deleteOne)
  add('post', ':contact/erase/', 'erasePerson', erase)
}
