import { mdiAccountCircleOutline, mdiCheck, mdiMagnify, mdiMenu } from '@mdi/js'
import AppBar from '@mui/material/AppBar'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Divider from '@mui/material/Divider'
import IconButton from '@mui/material/IconButton'
import ListItemIcon from '@mui/material/ListItemIcon'
import ListSubheader from '@mui/material/ListSubheader'
import Menu from '@mui/material/Menu'
import MenuItem from '@mui/material/MenuItem'
import { useColorScheme } from '@mui/material/styles'
import Toolbar from '@mui/material/Toolbar'
import { useLogout, useNavigate } from 'ra-core'
import { useState } from 'react'
import { firstName } from '../me/first-name.ts'
import { useMe } from '../me/me.tsx'
import { quote } from '../texts/foreign.ts'
import { type Language, languages, useLanguage, useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { AtEnd } from '../ui/layout.tsx'

/** The menu on a small screen, search, and the account. */
export function TopBar({ onMenu, onSearch }: { onMenu(): void; onSearch(): void }) {
  const { shell } = useTexts()
  return (
    <AppBar position="sticky" color="inherit" elevation={0} sx={{ displayPrint: 'none' }}>
      <Toolbar>
        <IconButton aria-label={shell.menu} onClick={onMenu} edge="start" sx={{ display: { md: 'none' } }}>
          <Icon path={mdiMenu} />
        </IconButton>
        <Button
          color="inherit"
          variant="outlined"
          startIcon={<Icon path={mdiMagnify} />}
          onClick={onSearch}
          aria-keyshortcuts="Control+K Meta+K"
          sx={{
            color: 'text.secondary',
            borderColor: 'divider',
            flex: { xs: 1, sm: '0 1 320px' },
            justifyContent: 'flex-start',
          }}
        >
          {shell.search}
          <Box
            component="kbd"
            sx={{ ml: 'auto', pl: 2, font: 'inherit', fontSize: '0.75rem', display: { xs: 'none', sm: 'inline' } }}
          >
            {isMac() ? '⌘K' : 'Ctrl K'}
          </Box>
        </Button>
        <AtEnd>
          <ProfileMenu />
        </AtEnd>
      </Toolbar>
    </AppBar>
  )
}

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform)

/** The menu of the account: its page, the language, light or dark, and sign-out. */
function ProfileMenu() {
  const { shell, profile } = useTexts()
  const { account } = useMe()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [language, setLanguage] = useLanguage()
  const { mode, setMode } = useColorScheme()
  const signOut = useLogout()
  const navigate = useNavigate()
  const close = () => setAnchor(null)
  const choosing = (act: () => void) => () => {
    close()
    act()
  }
  return (
    <>
      <Button
        color="inherit"
        startIcon={<Icon path={mdiAccountCircleOutline} />}
        aria-label={shell.account(quote(account.name))}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        <Box
          component="span"
          sx={{ maxWidth: { xs: 110, sm: 320 }, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
        >
          {firstName(account.name)}
        </Box>
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ paper: { component: 'section', 'aria-label': shell.account(quote(account.name)) } as object }}
      >
        <MenuItem onClick={choosing(() => navigate('/profile'))}>{profile.title}</MenuItem>
        <Divider />
        <ListSubheader role="presentation">{shell.languages}</ListSubheader>
        {(Object.keys(languages) as Language[]).map((name) => (
          <Option
            key={name}
            isChosen={name === language}
            label={languages[name]}
            onChoose={choosing(() => setLanguage(name))}
            lang={name}
          />
        ))}
        <Divider />
        <ListSubheader role="presentation">{shell.appearance}</ListSubheader>
        {(['system', 'light', 'dark'] as const).map((name) => (
          <Option key={name} isChosen={name === mode} label={shell[name]} onChoose={choosing(() => setMode(name))} />
        ))}
        <Divider />
        <MenuItem onClick={() => signOut()}>{shell.signOut}</MenuItem>
      </Menu>
    </>
  )
}

type OptionProps = { isChosen: boolean; label: string; lang?: string; onChoose(): void }

const Option = ({ isChosen, label, onChoose, lang, ...rest }: OptionProps) => (
  <MenuItem role="menuitemradio" aria-checked={isChosen} onClick={onChoose} lang={lang} {...rest}>
    <ListItemIcon>{isChosen && <Icon path={mdiCheck} fontSize="small" />}</ListItemIcon>
    {label}
  </MenuItem>
)
