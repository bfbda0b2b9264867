# SPDX-License-Identifier: Apache-2.0
"""The number screen on Bokeh: app_bokeh.py PORT."""

import random
import sys

from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.layouts import column
from bokeh.models import Button, Div, TextInput
from bokeh.server.server import Server


def number(document):
    label, field, button = Div(text="0"), TextInput(value="0"), Button(label="Roll")
    field.on_change("value", lambda attribute, old, new: label.update(text=new))
    button.on_click(lambda: field.update(value=str(random.randint(1, 100))))
    document.add_root(column(label, field, button))


server = Server({"/": Application(FunctionHandler(number))}, address="127.0.0.1", port=int(sys.argv[1]))
server.start()
server.io_loop.start()
