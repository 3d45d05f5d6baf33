import type { Adapter, RequestFactory } from '../adapter.ts'
import {
  anyCompany,
  anyFullCompany,
  anyProject,
  newProject,
  newProjects,
  searchWord,
  status,
} from '../scenario/choices.ts'
import { batchRows } from '../works.ts'

/** The requests of the floor: for the same records by the shortest paths, with the company in the path. */
export const adapter: Adapter = {
  fetch:
    ({ layout }) =>
    (_, random) => {
      const { id, company } = anyProject(layout, random)
      return {
        method: 'GET',
        path: `/fetch/${company}/${id}`,
        expect: { status: 200, begins: `{"data":{"id":${id},`, ends: '}}', bytesMin: 500 },
      }
    },
  list: page('list', ''),
  filtered: page('filtered', `/${status}`),
  q: page('q', `/${searchWord}`),
  update:
    ({ layout }) =>
    (count, random) => {
      const { id, company } = anyProject(layout, random)
      return {
        method: 'PATCH',
        path: `/update/${company}/${id}`,
        body: JSON.stringify({ budget_minor: count }),
        expect: { status: 200, begins: `{"data":{"id":${id}` },
      }
    },
  create:
    ({ layout }) =>
    (count, random) => {
      const company = anyCompany(layout, random)
      return {
        method: 'POST',
        path: `/create/${company}`,
        body: JSON.stringify(newProject(layout, company, count)),
        expect: { status: 201, begins: '{"data":{"id":' },
      }
    },
  batch:
    ({ layout }) =>
    (count, random) => {
      const company = anyCompany(layout, random)
      return {
        method: 'POST',
        path: `/batch/${company}`,
        body: JSON.stringify(newProjects(layout, company, count)),
        expect: { status: 201, begins: `{"data":${batchRows}}` },
      }
    },
}

function page(work: string, rest: string): RequestFactory {
  return ({ layout }) =>
    (_, random) => ({
      method: 'GET',
      path: `/${work}/${anyFullCompany(layout, random)}${rest}`,
      expect: { status: 200, begins: '{"data":[{"id":', ends: ',"limit":50,"offset":0}}', bytesMin: 4000 },
    })
}
