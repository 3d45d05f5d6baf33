import CssBaseline from '@mui/material/CssBaseline'
import { ThemeProvider } from '@mui/material/styles'
import { useMemo } from 'react'
import {
  CoreAdminContext,
  CoreAdminUI,
  CustomRoutes,
  localStorageStore,
  Resource,
  type Store,
  useRouterProvider,
} from 'react-admin'
import { registry } from '#registry/resources/index.ts'
import { authProvider } from './client/auth-provider.ts'
import { recordProvider } from './client/record-provider.ts'
import { importPageOf, pagesOf } from './records/pages.tsx'
import { importPath } from './records/paths.ts'
import { Crash, NotFound } from './shell/crash.tsx'
import { Shell } from './shell/shell.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { TextsProvider } from './texts/texts.tsx'
import { lazily, WaitingNotice } from './ui/pending.tsx'
import { theme } from './ui/theme.ts'

const Home = lazily('HomePage', () => import('./home/home-page.tsx'))
const Settings = lazily('SettingsPage', () => import('./settings/settings-page.tsx'))
const Removals = lazily('RemovalsPage', () => import('./records/removal/removals-page.tsx'))
const Agents = lazily('AgentsPage', () => import('./agents/agents-page.tsx'))
const Profile = lazily('ProfilePage', () => import('./me/profile-page.tsx'))

/** The whole interface: its providers, and a place for every resource and every page beside. */
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

/** Signing out forgets what was looked for, not the language or the columns somebody likes. */
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
          <Route key={definition.name} path={importPath(definition.name)} element={importPageOf(definition)} />
        ))}
        <Route path="/agents/*" element={<Agents />} />
        <Route path="/profile" element={<Profile />} />
      </CustomRoutes>
    </CoreAdminUI>
  )
}
