import Button from '@mui/material/Button'
import CssBaseline from '@mui/material/CssBaseline'
import { ThemeProvider } from '@mui/material/styles'
import {
  CoreAdminContext,
  CoreAdminUI,
  CustomRoutes,
  LinkBase,
  localStorageStore,
  Resource,
  type Store,
  useRouterProvider,
} from 'ra-core'
import { type ComponentType, useMemo } from 'react'
import { type Definition, hasPaper } from '#registry/definition.ts'
import type { Action } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { authProvider } from './client/auth-provider.ts'
import { recordProvider } from './client/record-provider.ts'
import { useMe } from './me/me.tsx'
import { importPath, paperPath } from './shell/places.ts'
import { Shell } from './shell/shell.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { TextsProvider, useTexts } from './texts/texts.tsx'
import { Page } from './ui/page.tsx'
import { lazily, WaitingNotice } from './ui/pending.tsx'
import { theme } from './ui/theme.ts'

const Home = lazily(async () => (await import('./home/home-page.tsx')).HomePage)
const Settings = lazily(async () => (await import('./settings/settings-page.tsx')).SettingsPage)
const Removals = lazily(async () => (await import('./records/removal/removals-page.tsx')).RemovalsPage)
const Agents = lazily(async () => (await import('./agents/agents-page.tsx')).AgentsPage)
const Profile = lazily(async () => (await import('./me/profile-page.tsx')).ProfilePage)

/** The whole interface: its providers, and a route for every resource and every other page. */
export function App() {
  const store = useMemo(keepingPreferences, [])
  return (
    <ThemeProvider theme={theme} noSsr>
      <CssBaseline enableColorScheme />
      <CoreAdminContext authProvider={authProvider} dataProvider={recordProvider} store={store}>
        <TextsProvider>
          <Pages />
        </TextsProvider>
      </CoreAdminContext>
    </ThemeProvider>
  )
}

/** Returns a store whose reset on sign-out keeps the language and the chosen columns. */
function keepingPreferences(): Store {
  const store = localStorageStore('1', 'plumbline')
  const reset = () => {
    for (const { name } of registry) store.removeItems(`${name}.`)
  }
  return { ...store, reset }
}

function Pages() {
  const { Route } = useRouterProvider()
  return (
    <CoreAdminUI
      layout={Shell}
      dashboard={Home}
      loginPage={SignInPage}
      catchAll={NotFound}
      error={Crash}
      loading={() => <WaitingNotice whole />}
      disableTelemetry
      title=""
    >
      {registry.map((definition) => (
        <Resource key={definition.name} name={definition.name} {...pagesOf(definition)} />
      ))}
      <CustomRoutes>
        <Route path="/settings/*" element={<Settings />} />
        <Route path="/removals" element={<Removals />} />
        {registry.map((definition) => (
          <Route
            key={definition.name}
            path={importPath(definition.name)}
            element={<PermissionGuard definition={definition} action="EDIT" Page={ImportPage} />}
          />
        ))}
        {registry.filter(hasPaper).map((definition) => (
          <Route
            key={definition.name}
            path={paperPath(definition.name, ':id')}
            element={<PermissionGuard definition={definition} action="VIEW" Page={PaperPage} />}
          />
        ))}
        <Route path="/agents/*" element={<Agents />} />
        <Route path="/profile" element={<Profile />} />
      </CustomRoutes>
    </CoreAdminUI>
  )
}

const ListPage = lazily(async () => (await import('./records/list/list-page.tsx')).ListPage)
const ShowPage = lazily(async () => (await import('./records/show/show-page.tsx')).ShowPage)
const CreatePage = lazily(async () => (await import('./records/form/create-page.tsx')).CreatePage)
const EditPage = lazily(async () => (await import('./records/form/edit-page.tsx')).EditPage)
const PaperPage = lazily(async () => (await import('./records/paper/paper-page.tsx')).PaperPage)
const ImportPage = lazily(async () => (await import('./records/import/import-page.tsx')).ImportPage)

/** The four pages of a resource, each loaded when it is first opened. */
const pagesOf = (definition: Definition) => ({
  list: <PermissionGuard definition={definition} action="VIEW" Page={ListPage} />,
  show: <PermissionGuard definition={definition} action="VIEW" Page={ShowPage} />,
  create: <PermissionGuard definition={definition} action="EDIT" Page={CreatePage} />,
  edit: <PermissionGuard definition={definition} action="EDIT" Page={EditPage} />,
})

type PermittedProps = { definition: Definition; action: Action; Page: ComponentType<{ definition: Definition }> }

/**
 * Shows a page if the account may use it, with only the fields that the account may see. The service would refuse the
 * requests anyway; this saves them.
 */
function PermissionGuard({ definition, action, Page }: PermittedProps) {
  const { name } = definition
  const { may, visible } = useMe()
  return may(name, action) ? <Page key={name} definition={visible(definition)} /> : <Forbidden />
}

/** Shown instead of a page that failed by an error of the program. The other pages still work. */
function Crash() {
  const { trouble, common } = useTexts()
  return (
    <Page title={trouble.unexpected}>
      <Button variant="outlined" onClick={() => window.location.reload()}>
        {common.retry}
      </Button>
    </Page>
  )
}

const NotFound = () => <NotFoundPage title={useTexts().trouble.notFound} />

/** Shown instead of a page that the account may not see. */
function Forbidden() {
  const { trouble } = useTexts()
  return <NotFoundPage title={trouble.forbidden} lead={trouble.forbiddenLead} />
}

/** Shows a reason and a link to the home page. */
const NotFoundPage = ({ title, lead }: { title: string; lead?: string }) => (
  <Page title={title} lead={lead}>
    <Button component={LinkBase} to="/" variant="outlined">
      {useTexts().trouble.home}
    </Button>
  </Page>
)
