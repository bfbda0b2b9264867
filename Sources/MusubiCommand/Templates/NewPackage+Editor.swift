// SPDX-License-Identifier: Apache-2.0
import Musubi

// What an editor needs: tasks, the debugger, and the attributes of pages. The files are those of Visual Studio Code.
extension NewPackage {
  /// The files of `.vscode` by name.
  func editorFiles(_ checkout: Checkout) throws -> [String: String] {
    let reference = try checkout.text("Sources/Musubi/Musubi.docc/DataAttributes.md")
    return [
      "tasks.json": tasks, "launch.json": launch, "extensions.json": extensions,
      "settings.json": "{\n  \"html.customData\": [\".vscode/musubi.html-data.json\"]\n}\n",
      "musubi.html-data.json": try EditorAttributes(reference: reference).json(names),
    ]
  }

  /// What the screen has before anybody changes it.
  private var names: EditorNames {
    EditorNames(
      screens: [name.screen], inputs: ["name", "wave"],
      outputs: ["greeting", "name", "waveDisabled", "waves"])
  }

  private var extensions: String {
    """
    {
      "recommendations": ["swiftlang.swift-vscode"]
    }

    """
  }

  private var tasks: String {
    """
    {
      "version": "2.0.0",
      "tasks": [
        {
          "label": "build",
          "type": "shell",
          "command": "swift build --product \(name.module)",
          "group": { "kind": "build", "isDefault": true },
          "problemMatcher": ["$swiftc"]
        },
        {
          "label": "test",
          "type": "shell",
          "command": "swift test",
          "group": { "kind": "test", "isDefault": true },
          "problemMatcher": ["$swiftc"]
        },
        {
          "label": "dev",
          "detail": "Serves the pages; each change of Swift replaces the process under them.",
          "type": "shell",
          "command": "swift run musubi dev",
          "isBackground": true,
          "problemMatcher": {
            "owner": "musubi-dev",
            "fileLocation": ["autoDetect", "${workspaceFolder}"],
            "pattern": {
              "regexp": "^(.+?):(\\\\d+):(?:(\\\\d+):)? (?:(error|warning|note): )?(.+)$",
              "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5
            },
            "background": {
              "activeOnStart": true,
              "beginsPattern": "^Building for ",
              "endsPattern": "^musubi: (serving|replaced|it does not build|the process)"
            }
          }
        },
        {
          "label": "serve",
          "type": "shell",
          "command": "swift run \(name.module) serve --dev",
          "isBackground": true,
          "problemMatcher": []
        },
        {
          "label": "script",
          "type": "shell",
          "command": "swift run \(name.module) script Tests",
          "problemMatcher": []
        },
        {
          "label": "check",
          "type": "shell",
          "command": "swift run --quiet \(name.module) check",
          "problemMatcher": {
            "owner": "musubi",
            "fileLocation": ["relative", "${workspaceFolder}"],
            "severity": "warning",
            "pattern": { "regexp": "^(.+):(\\\\d+): (.+)$", "file": 1, "line": 2, "message": 3 }
          }
        }
      ]
    }

    """
  }

  private var launch: String {
    """
    {
      "version": "0.2.0",
      "configurations": [
        {
          "name": "serve",
          "type": "swift",
          "request": "launch",
          "program": "${workspaceFolder}/.build/debug/\(name.module)",
          "args": ["serve", "--dev"],
          "cwd": "${workspaceFolder}",
          "preLaunchTask": "build"
        }
      ]
    }

    """
  }
}
